import { describe, expect, it } from 'vitest'
import {
  askedId,
  decodeStatus,
  encodePublished,
  encodeResult,
  encodeStatus,
  statusHeaders,
} from '../../../src/api/tools/wire.ts'

const ids = ['Kit.A@1.0.0']
const warnings = [{ path: '/w', message: 'Is odd' }]

describe('what became of a document', () => {
  it('is its ids, and warnings where there are any', () => {
    expect(encodePublished({ ok: true, outcome: 'created', ids, warnings: [] })).toEqual({ ids })
    expect(encodePublished({ ok: true, outcome: 'unchanged', ids, warnings })).toEqual({ ids, warnings })
  })

  it('is a status in a batch, with what is wrong', () => {
    const result = (report: Parameters<typeof encodeResult>[0]) => encodeResult(report, 'Asked.For@1.0.0')
    expect(result({ ok: true, outcome: 'created', ids, warnings: [] })).toEqual({ id: ids[0], status: 201 })
    expect(result({ ok: true, outcome: 'unchanged', ids: [...ids, 'b'], warnings })).toEqual({
      id: ids[0],
      ids: [...ids, 'b'],
      status: 200,
      warnings,
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
})

describe('the id that a document says it has', () => {
  it.each([
    [{ id: 'a' }, 'a'],
    [{ definition: { id: 'b' }, id: 'a' }, 'b'],
    [{ id: 'x'.repeat(301) }, 'x'.repeat(300)],
    [{ definition: 7, id: 'a' }, null],
    [{ id: 7 }, null],
    [{}, null],
    ['a', null],
    [null, null],
  ])('of %j', (document, id) => expect(askedId(document)).toBe(id))
})

describe('a status', () => {
  it.each([
    [{ status: 'active' }, { state: 'active' }],
    [{ status: { state: 'yanked' } }, { state: 'yanked' }],
    [{ status: { disabled: {} } }, { state: 'disabled' }],
    [{ status: 'deprecated' }, { state: 'deprecated' }],
    [
      { status: 'deprecated', message: 'x'.repeat(1_000), successor: 'A.B@^2' },
      { state: 'deprecated', message: 'x'.repeat(1_000), successor: 'A.B@^2' },
    ],
    [{ status: { state: 'deprecated', message: '' } }, { state: 'deprecated', message: '' }],
    [{ status: { deprecated: { successor: 'A.B' } } }, { state: 'deprecated', successor: 'A.B' }],
  ])('may be said as %j', (body, status) => expect(decodeStatus(body)).toEqual(status))

  const ONE_OF = "'status' must be one of active, deprecated, yanked, disabled"
  it.each<[unknown, string]>([
    [7, 'The body must be an object'],
    [{}, ONE_OF],
    [{ status: 7 }, ONE_OF],
    [{ status: {} }, `${ONE_OF}, got ''`],
    [{ status: 'x'.repeat(51) }, `${ONE_OF}, got '${'x'.repeat(50)}'`],
    [{ status: { active: {}, yanked: {} } }, "'status' must hold one state"],
    [{ status: { active: 7 } }, "'status' must hold one state"],
    [{ status: { state: 'active' }, [`${'x'.repeat(51)}`]: 1 }, `Unknown field '${'x'.repeat(50)}'`],
    [{ status: 'active', more: 1 }, "Unknown field 'more'"],
    [{ status: 'active', message: '' }, "'message' and 'successor' belong to 'deprecated'"],
    [{ status: 'yanked', successor: 'A.B' }, "'message' and 'successor' belong to 'deprecated'"],
    [{ status: 'deprecated', message: 7 }, "'message' must be a string of at most 1,000 characters"],
    [{ status: 'deprecated', message: 'x'.repeat(1_001) }, "'message' must be a string of at most 1,000 characters"],
    [{ status: 'deprecated', successor: 7 }, "'successor' must be a tool id"],
    [{ status: 'deprecated', successor: 'A' }, "'successor' must be a tool id"],
  ])('is not said as %j', (body, why) => expect(decodeStatus(body)).toBe(why))

  it('is told with the id, and in headers where it is not active', () => {
    const status = { state: 'deprecated', message: 'Old', successor: 'A.C@^2' } as const
    expect(encodeStatus({ toolkit: 'A', tool: 'B' }, '1.0.0', status)).toEqual({
      id: 'A.B@1.0.0',
      status: 'deprecated',
      message: 'Old',
      successor: 'A.C@^2',
    })
    expect(statusHeaders({ state: 'active' })).toEqual({})
    expect(statusHeaders({ state: 'yanked' })).toEqual({ 'switchboard-status': 'yanked' })
    expect(statusHeaders(status)).toEqual({
      'switchboard-status': 'deprecated',
      'link': '</tools/A.C%40%5E2>; rel="successor-version"',
    })
  })
})
