import { parseValue } from '../../../src/core/tool/json-reader.ts'
import { expect, it } from 'vitest'
import {
  parseToolIdParam,
  VERSION_CHANGE_BODY,
  encodeResult,
  encodeVersion,
  publicationNote,
} from '../../../src/api/tools/wire.ts'
import { encodePublished } from '../../../src/core/publish/report.ts'

const ids = ['Kit.A@1.0.0']
const warnings = [{ path: '/w', message: 'Is odd' }]

it('the result of a document has its ids, and warnings if there are any', () => {
  expect(encodePublished({ ok: true, outcome: 'created', ids, warnings: [] })).toEqual({ ids })
  expect(encodePublished({ ok: true, outcome: 'unchanged', ids, warnings })).toEqual({ ids, warnings })
})

it('the result of a document in a batch has a status, with its problems', () => {
  const result = (report: Parameters<typeof encodeResult>[0]) => encodeResult(report, 'Asked.For@1.0.0')
  expect(result({ ok: true, outcome: 'created', ids, warnings: [] })).toEqual({ id: ids[0], status: 201 })
  expect(result({ ok: true, outcome: 'unchanged', ids: [...ids, 'b'], warnings })).toEqual({
    id: ids[0],
    ids: [...ids, 'b'],
    status: 200,
    warnings,
  })
  expect(result({ ok: true, outcome: 'created', ids, warnings: [], readAs: 'oxp', removedIds: ['Kit.B'] })).toEqual({
    id: ids[0],
    status: 201,
    dialect: 'oxp',
    left_out: ['Kit.B'],
  })
  expect(result({ ok: false, ids: [], failure: { type: 'definition-invalid', problems: warnings } })).toEqual({
    id: 'Asked.For@1.0.0',
    status: 422,
    errors: warnings,
  })
  expect(result({ ok: false, ids, failure: { type: 'forbidden', reason: 'No' } })).toEqual({
    id: ids[0],
    status: 403,
    errors: [{ path: '', message: 'No' }],
  })
  expect(result({ ok: false, ids, failure: { type: 'conflict', message: 'Exists' } })).toEqual({
    id: ids[0],
    status: 409,
    errors: [{ path: '', message: 'Exists' }],
  })
})

const said = (...reports: (readonly string[] | undefined)[]) =>
  publicationNote(
    reports.map((uncallable) => ({
      ok: true,
      outcome: 'created',
      ids,
      warnings: [],
      ...(uncallable ? { uncallable } : {}),
    })),
  )

it('the note about new tools that cannot be called names the first of them', () => {
  expect(said(['A.B@1.0.0'])).toBe(
    "Without an implementation, 'A.B@1.0.0' cannot be called, only listed and read: publish a new version with an 'implementation' beside the 'definition'",
  )
  expect(said(['a', 'b'], undefined, ['c', 'd', 'e'])).toMatch(/^Without an implementation, 'a', 'b', 'c' and 2 more /)
})

it('the note about new tools is absent if all can be called, or nothing was published', () => {
  expect(said(undefined)).toBeUndefined()
  expect(publicationNote([{ ok: false, ids, failure: { type: 'forbidden', reason: 'No' } }])).toBeUndefined()
})

it.each([
  [{ id: 'a' }, 'a'],
  [{ definition: { id: 'b' }, id: 'a' }, 'b'],
  [{ id: 'x'.repeat(301) }, 'x'.repeat(300)],
  [{ definition: 7, id: 'a' }, null],
  [{ id: 7 }, null],
  [{}, null],
  ['a', null],
  [null, null],
])('the id in a document %j', (document, id) => expect(parseToolIdParam(document)).toBe(id))

it.each([
  [{ status: 'active' }, { state: 'active' }],
  [{ status: { state: 'yanked' } }, { state: 'yanked' }],
  [{ status: { disabled: {} } }, { state: 'disabled' }],
  [{ status: 'deprecated' }, { state: 'deprecated' }],
  [
    { status: 'deprecated', message: 'x'.repeat(1_000), successor: 'A.B@^2' },
    { state: 'deprecated', message: 'x'.repeat(1_000), successor: 'A.B@^2' },
  ],
  [
    { status: 'disabled', message: 'INC-7' },
    { state: 'disabled', message: 'INC-7' },
  ],
  [{ status: { yanked: { message: '' } } }, { state: 'yanked', message: '' }],
  [{ status: { state: 'deprecated', message: '' } }, { state: 'deprecated', message: '' }],
  [{ status: { deprecated: { successor: 'A.B' } } }, { state: 'deprecated', successor: 'A.B' }],
])('a status may be written as %j', (body, status) =>
  expect(parseValue(VERSION_CHANGE_BODY, body)).toEqual({ ok: true, value: { status } }),
)

const ONE_OF = "Must be one of 'active', 'deprecated', 'yanked', 'disabled'"
const ONE_KEY = 'Must be an object of at most 1 fields, got an object'
const NOT_ACTIVE = "Is not for the status 'active'"
const OF_DEPRECATED = "Is only for the status 'deprecated'"
const LONG = 'x'.repeat(101)
it.each<[unknown, string, string]>([
  [7, '', 'Must be an object, got 7'],
  [{}, '/status', 'Is required'],
  [{ status: 7 }, '/status', `${ONE_OF}, got 7`],
  [{ status: {} }, '/status', `${ONE_OF}, got ''`],
  [{ status: LONG }, '/status', `${ONE_OF}, got a string of 101 characters`],
  [{ status: { active: {}, yanked: {} } }, '/status', ONE_KEY],
  [{ status: { active: 7 } }, '/status/active', 'Must be an object, got 7'],
  [{ status: { gone: {} } }, '/status', `${ONE_OF}, got 'gone'`],
  [{ status: { state: 7 } }, '/status/state', `${ONE_OF}, got 7`],
  [{ status: { state: 'active' }, [LONG]: 1 }, `/${LONG}`, `Unknown field '${'x'.repeat(100)}': wanted 'status'`],
  [{ status: 'active', more: 1 }, '/more', "Unknown field 'more': wanted 'status', 'message', 'successor'"],
  [{ status: { yanked: { more: 1 } } }, '/status/yanked/more', "Unknown field 'more': wanted 'message', 'successor'"],
  [{ status: 'active', message: '' }, '/message', NOT_ACTIVE],
  [{ status: 'yanked', successor: 'A.B' }, '/successor', OF_DEPRECATED],
  [{ status: { state: 'active', message: '' } }, '/status/message', NOT_ACTIVE],
  [{ status: { yanked: { successor: 'A.B' } } }, '/status/successor', OF_DEPRECATED],
  [{ status: 'deprecated', message: 7 }, '/message', 'Must be a string of at most 1000 characters, got 7'],
  [
    { status: 'deprecated', message: 'x'.repeat(1_001) },
    '/message',
    'Must be a string of at most 1000 characters, got a string of 1001 characters',
  ],
  [{ status: 'deprecated', successor: 7 }, '/successor', 'Must be a tool id, got 7'],
  [{ status: 'deprecated', successor: 'A' }, '/successor', "Must be a tool id, got 'A'"],
])('a status may not be written as %j', (body, path, message) =>
  expect(parseValue(VERSION_CHANGE_BODY, body)).toEqual({ ok: false, problems: [{ path, message }] }),
)

it('a version is returned with its status', () => {
  const status = { state: 'deprecated', message: 'Old', successor: 'A.C@^2' } as const
  const publisher = { principal: 'key:k', trusted: false }
  const entry = { version: '1.0.0', digest: 'd', status, publisher }
  expect(encodeVersion({ toolkit: 'A', tool: 'B' }, entry, false)).toEqual({
    id: 'A.B@1.0.0',
    status: 'deprecated',
    message: 'Old',
    successor: 'A.C@^2',
  })
})
