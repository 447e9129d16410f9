import { expect, it } from 'vitest'
import { completeAnnotations } from '../../../src/core/tool/annotations.ts'
import type { JsonObject } from '../../../src/core/tool/json.ts'

type Row = readonly [string, string | object, number, JsonObject, readonly boolean[]]

const hints = ({ readOnlyHint, destructiveHint, idempotentHint, openWorldHint }: JsonObject) =>
  [readOnlyHint, destructiveHint, idempotentHint, openWorldHint] as const

it.each<Row>([
  ['a GET reads', 'GET', 4, {}, [true, false, true, true]],
  ['a POST may do anything', 'POST', 4, {}, [false, true, false, true]],
  ['a PATCH changes what is there', 'PATCH', 0, {}, [false, true, false, true]],
  ['a PUT does, as often as one likes', 'PUT', 4, {}, [false, true, true, true]],
  ['a DELETE deletes', 'DELETE', 0, {}, [false, true, true, true]],
  ['what a person approves is not harmless, whatever its method', 'GET', 8, {}, [false, true, false, true]],
  ['nor is a POST', 'POST', 8, {}, [false, true, false, true]],
  ['without a method it is as the protocol says', { kind: 'bundled' }, 3, {}, [false, true, false, true]],
  ['a module that reaches no host', { kind: 'code', allowed_hosts: [] }, 0, {}, [false, true, false, false]],
  ['a plugin that reaches one', { kind: 'wasm', allowed_hosts: ['x'] }, 0, {}, [false, true, false, true]],
  ['the publisher says of a GET that it writes', 'GET', 0, { readOnlyHint: false }, [false, true, false, true]],
  ['of a POST that it reads', 'POST', 4, { readOnlyHint: true }, [true, false, true, true]],
  ['of a DELETE that it is harmless', 'DELETE', 0, { destructiveHint: false }, [false, false, true, true]],
  ['of what a person approves that it reads', { kind: 'mcp' }, 9, { readOnlyHint: true }, [true, false, true, true]],
])('the missing hints of a tool are completed: %s', (_, way, securityLevel, annotations, expected) => {
  const implementation = typeof way === 'string' ? { kind: 'http', method: way } : { kind: '', ...way }
  expect(hints(completeAnnotations({ annotations, implementation, securityLevel }))).toEqual(expected)
})

it('the completed hints of a tool are added to its other annotations', () => {
  expect(completeAnnotations({ annotations: { title: 'A', own: 1 }, securityLevel: 0 })).toEqual({
    title: 'A',
    own: 1,
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: true,
  })
})
