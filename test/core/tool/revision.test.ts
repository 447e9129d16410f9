import { describe, expect, it } from 'vitest'
import { isExpected, revisionOf } from '../../../src/core/tool/revision.ts'
import { ifMatch } from '../../../src/http/route/route.ts'

const stored = { id: 'k', name: 'a' }
const named = (value: string) => ifMatch(new Request('https://sb.example', { headers: { 'if-match': value } }))

describe('a revision', () => {
  it('is of all that is stored, however it comes', () => {
    expect(revisionOf(stored)).toMatch(/^[0-9a-f]{16}$/)
    expect(revisionOf(JSON.stringify(stored))).toBe(revisionOf({ ...stored }))
    expect(revisionOf({ ...stored, name: 'b' })).not.toBe(revisionOf(stored))
  })

  it('is expected where nothing is named, where it is named, and by * where there is one', () => {
    expect([isExpected(stored, undefined), isExpected(undefined, undefined)]).toEqual([true, true])
    expect([isExpected(stored, ['x', revisionOf(stored)]), isExpected(stored, ['x']), isExpected(stored, [])]).toEqual([
      true,
      false,
      false,
    ])
    expect([isExpected(stored, '*'), isExpected(undefined, '*'), isExpected(undefined, ['x'])]).toEqual([
      true,
      false,
      false,
    ])
  })
})

describe('If-Match', () => {
  it.each<[string, unknown]>([
    ['*', '*'],
    ['"a"', ['a']],
    ['"a", "b" ,"c,d"', ['a', 'b', 'c,d']],
    ['W/"a"', []],
    ['a', []],
    ['', []],
  ])('%s names %j', (value, tags) => expect(named(value)).toEqual(tags))

  it('names nothing where it is not sent', () => expect(ifMatch(new Request('https://sb.example'))).toBeUndefined())
})
