import { expect, it } from 'vitest'
import { encodeBody } from '../../../src/runners/http/body.ts'

/** A part of a form, which workerd writes without escaping carriage returns. */
const LINES = 'a\r\rContent-Type: text/html\r\n'

it('names from callers in a multipart body cannot add a line to the header of a part', () => {
  const file = { filename: LINES, data: btoa('hello') }
  const body = encodeBody(
    { type: 'multipart', input: 'all', encoding: {} },
    [],
    { [LINES]: 'text', [`${LINES}file`]: file },
    undefined,
  )
  const { content } = body && 'content' in body ? body : {}
  const parts = content instanceof FormData ? [...content] : []
  const named = parts.flatMap(([name, value]) => [name, ...(value instanceof File ? [value.name] : [])])
  expect(named).toHaveLength(3)
  expect(named.filter((each) => each.includes('\r'))).toEqual([])
})
