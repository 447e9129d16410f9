import { expect, it } from 'vitest'
import { matchesPrecondition, computeRevision } from '../../../src/core/tool/precondition.ts'
import { ifMatch } from '../../../src/http/route/router.ts'

const stored = { id: 'k', name: 'a' }
const named = (value: string) => ifMatch(new Request('https://sb.example', { headers: { 'if-match': value } }))

it('a revision covers all stored fields, in any order', () => {
  expect(computeRevision(stored)).toMatch(/^[0-9a-f]{16}$/)
  expect(computeRevision(JSON.stringify(stored))).toBe(computeRevision({ ...stored }))
  expect(computeRevision({ ...stored, name: 'b' })).not.toBe(computeRevision(stored))
})

it('a revision matches if no precondition is set, if it is named, and with * if there is one', () => {
  expect([matchesPrecondition(stored, undefined), matchesPrecondition(undefined, undefined)]).toEqual([true, true])
  expect([
    matchesPrecondition(stored, ['x', computeRevision(stored)]),
    matchesPrecondition(stored, ['x']),
    matchesPrecondition(stored, []),
  ]).toEqual([true, false, false])
  expect([
    matchesPrecondition(stored, '*'),
    matchesPrecondition(undefined, '*'),
    matchesPrecondition(undefined, ['x']),
  ]).toEqual([true, false, false])
})

it.each<[string, unknown]>([
  ['*', '*'],
  ['"a"', ['a']],
  ['"a", "b" ,"c,d"', ['a', 'b', 'c,d']],
  ['W/"a"', []],
  ['a', []],
  ['', []],
])('If-Match %s names %j', (value, tags) => expect(named(value)).toEqual(tags))

it('If-Match names nothing if it is not sent', () => expect(ifMatch(new Request('https://sb.example'))).toBeUndefined())
