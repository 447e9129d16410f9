import { describe, expect, it } from 'vitest'
import { callsQuery, decodeCallsQuery, decodeUsageQuery, usageQuery } from '../../../src/api/calls/wire.ts'
import { check } from '../../../src/core/tool/json-reader.ts'
import { ADMIN, type Principal } from '../../../src/core/access/principal.ts'

const NOW = Date.parse('2026-06-15T12:00:00Z')
const DAY = 86_400_000
const KEY: Principal = { id: 'key:1', kind: 'key', scopes: ['tools:call'], tools: ['*'], users: ['ann'] }

function readCallsQuery(said: object, principal: Principal, now: number) {
  const read = check(callsQuery.reader, said)
  return read.ok ? decodeCallsQuery(read.value, principal, now) : read
}

function readUsageQuery(said: object, principal: Principal, now: number) {
  const read = check(usageQuery.reader, said)
  return read.ok ? decodeUsageQuery(read.value, principal, now) : read
}

describe('the query of GET /calls', () => {
  it('means all that there is, where it says nothing', () => {
    const read = readCallsQuery({}, ADMIN, NOW)
    const filter = { since: NOW - 31 * DAY + 3_600_000, until: NOW + 3_600_000 }
    expect(read).toEqual({ ok: true, value: { filter, limit: 100, cursor: undefined } })
  })

  it('keeps what it names', () => {
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
    expect(readCallsQuery(query, ADMIN, NOW)).toEqual({ ok: true, value: { filter, limit: 7, cursor: 'x' } })
  })

  it('shows a key the calls it made, and a person those made for them too', () => {
    const ownOf = (principal: Principal) => {
      const read = readCallsQuery({ principal: 'key:2' }, principal, NOW)
      return read.ok ? read.value.filter.own : undefined
    }
    expect(ownOf(KEY)).toEqual({ principal: 'key:1' })
    expect(ownOf({ ...KEY, kind: 'person' })).toEqual({ principal: 'key:1', user: 'ann' })
    expect(ownOf({ ...KEY, kind: 'person', users: 'any' })).toEqual({ principal: 'key:1' })
    expect(ownOf({ ...KEY, scopes: ['records:read'] })).toBeUndefined()
    expect(ownOf(ADMIN)).toBeUndefined()
  })

  it.each([
    [{ since: 'yesterday' }, '/since'],
    [{ since: '2026-06-15T00:00:00Z', until: '2026-06-15T00:00:00Z' }, '/since'],
    [{ limit: '0' }, '/limit'],
    [{ limit: '1001' }, '/limit'],
    [{ limit: '1e2' }, '/limit'],
    [{ tool: 'a b' }, '/tool'],
    [{ tool: 'A.B@1@2' }, '/tool'],
    [{ outcome: "x' OR 1" }, '/outcome'],
    [{ dialect: 'soap' }, '/dialect'],
    [{ user: 'ann' }, '/user'],
  ])('refuses %j', (query, path) => {
    expect(readCallsQuery(query, ADMIN, NOW)).toMatchObject({ ok: false, problems: [{ path }] })
  })
})

describe('the query of GET /usage', () => {
  it('means the tools of the last day, where it says nothing', () => {
    const read = readUsageQuery({}, ADMIN, NOW)
    expect(read).toEqual({
      ok: true,
      value: { filter: { since: NOW + 3_600_000 - DAY, until: NOW + 3_600_000 }, by: ['tool'] },
    })
  })

  it('counts by what it names, once each', () => {
    expect(readUsageQuery({ by: 'day,principal,day' }, ADMIN, NOW)).toMatchObject({
      value: { by: ['day', 'principal'] },
    })
    expect(readUsageQuery({ by: 'day,moon' }, ADMIN, NOW)).toMatchObject({ ok: false, problems: [{ path: '/by' }] })
  })
})
