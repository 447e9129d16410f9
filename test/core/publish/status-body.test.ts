import { expect, it } from 'vitest'
import { statusReader } from '../../../src/core/publish/status-body.ts'
import { boolean, parseValue, object, optional } from '../../../src/core/tool/json-reader.ts'

const STATUS = statusReader(object({ trusted: optional(boolean) }), ['trusted'])
const read = (body: unknown) => parseValue(STATUS, body)

it.each([
  [{ status: 'yanked' }, { status: { state: 'yanked' } }],
  [{ status: 'deprecated', successor: 'A.B' }, { status: { state: 'deprecated', successor: 'A.B' } }],
  [{ status: { state: 'deprecated', message: 'x' } }, { status: { state: 'deprecated', message: 'x' } }],
  [{ status: { disabled: {} } }, { status: { state: 'disabled' } }],
  [
    { status: 'active', trusted: true },
    { status: { state: 'active' }, trusted: true },
  ],
  [{ trusted: false }, { trusted: false }],
])('a change of a version or a toolkit is read: %j', (body, value) => {
  expect(read(body)).toEqual({ ok: true, value })
})

it.each([
  [{}, '/status'],
  [5, ''],
  [{ status: 'off' }, '/status'],
  [{ status: 'active', message: 'x' }, '/message'],
  [{ status: { state: 'yanked', successor: 'A.B' } }, '/status/successor'],
  [{ status: 'active', extra: 1 }, '/extra'],
  [{ trusted: 'yes' }, '/trusted'],
  [{ trusted: true, extra: 1 }, '/extra'],
])('a change of a version or a toolkit is refused with the location of the error: %j', (body, path) => {
  const { ok, problems } = { problems: [], ...read(body) }
  expect([ok, problems.map((each: { path: string }) => each.path)]).toEqual([false, expect.arrayContaining([path])])
})
