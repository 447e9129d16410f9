import { expect, it } from 'vitest'
import { callsQuery, toCallFilter, toOwnFilter, usageQuery } from '../../../src/api/calls/wire.ts'
import { parseValue, type Reader } from '../../../src/core/tool/json-reader.ts'
import { ADMIN, type Principal } from '../../../src/core/access/principal.ts'

interface Times {
  readonly since?: number
  readonly until?: number
}

const NOW = Date.parse('2026-06-15T12:00:00Z')
const DAY = 86_400_000
const KEY: Principal = { id: 'key:1', kind: 'key', scopes: ['tools:call'], tools: ['*'], users: ['ann'] }

/** Parses a query on records into its filter with the times, and the calls that it selects. */
function readQuery<F extends Times>(reader: Reader<F>, said: object, principal: Principal, usual?: number) {
  const read = parseValue(reader, said)
  if (!read.ok) return read
  const filter = toCallFilter(read.value, NOW, usual)
  return filter.ok ? { ok: true, value: { ...filter.value, ...toOwnFilter(principal) } } : filter
}
const readCallsQuery = (said: object, principal: Principal) => readQuery(callsQuery.reader, said, principal)
const readUsageQuery = (said: object, principal: Principal) => readQuery(usageQuery.reader, said, principal, DAY)

it('the query of GET /calls covers all recorded calls by default', () => {
  const read = readCallsQuery({}, ADMIN)
  const filter = { since: NOW - 31 * DAY + 3_600_000, until: NOW + 3_600_000 }
  expect(read).toEqual({ ok: true, value: { ...filter, limit: 100 } })
})

it('the query of GET /calls keeps its filters', () => {
  const query = {
    since: '2026-06-14T00:00:00Z',
    until: '2026-06-15T02:00:00+02:00',
    tool: 'Gmail.*',
    outcome: 'tool-failed',
    dialect: 'mcp',
    user_id: 'ann',
    principal: 'key:2',
    limit: '7',
    cursor: 'x',
  }
  const { limit: _, cursor: __, ...rest } = query
  const filter = { ...rest, since: Date.parse('2026-06-14'), until: Date.parse('2026-06-15') }
  expect(readCallsQuery(query, ADMIN)).toEqual({ ok: true, value: { ...filter, limit: 7, cursor: 'x' } })
})

it('the query of GET /calls limits a key to its own calls, and a person to those made by or for them', () => {
  const ownFor = (principal: Principal) => {
    const read = readCallsQuery({ principal: 'key:2' }, principal)
    return 'value' in read ? read.value.own : undefined
  }
  expect(ownFor(KEY)).toEqual({ principal: 'key:1' })
  expect(ownFor({ ...KEY, kind: 'person' })).toEqual({ principal: 'key:1', user: 'ann' })
  expect(ownFor({ ...KEY, kind: 'person', users: 'any' })).toEqual({ principal: 'key:1' })
  expect(ownFor({ ...KEY, scopes: ['records:read'] })).toBeUndefined()
  expect(ownFor(ADMIN)).toBeUndefined()
})

it.each([
  [{ since: 'yesterday' }, '/since'],
  [{ since: '2026-06-15T00:00:00Z', until: '2026-06-15T00:00:00Z' }, '/since'],
  [{ limit: '0' }, '/limit'],
  [{ limit: '1001' }, '/limit'],
  [{ limit: '1e2' }, '/limit'],
  [{ tool: 'a b' }, '/tool'],
  [{ tool: 'A.B@1@2' }, '/tool'],
  [{ outcome: 'nonsense' }, '/outcome'],
  [{ outcome: 'refused' }, '/outcome'],
  [{ dialect: 'soap' }, '/dialect'],
  [{ user: 'ann' }, '/user'],
])('the query of GET /calls refuses %j', (query, path) => {
  const read = readCallsQuery(query, ADMIN)
  expect(read.ok).toBe(false)
  expect(JSON.stringify(read)).toContain(path.slice(1))
})

it('the query of GET /usage covers the tools of the last day by default', () => {
  const read = readUsageQuery({}, ADMIN)
  expect(read).toEqual({
    ok: true,
    value: { since: NOW + 3_600_000 - DAY, until: NOW + 3_600_000, by: ['tool'] },
  })
})

it('the query of GET /usage groups by what it names, once each', () => {
  expect(readUsageQuery({ by: 'day,principal,day' }, ADMIN)).toMatchObject({
    value: { by: ['day', 'principal'] },
  })
  expect(readUsageQuery({ by: 'day,moon' }, ADMIN)).toMatchObject({ ok: false, problems: [{ path: '/by' }] })
})
