import { describe, expect, it } from 'vitest'
import type { Session } from '../../../src/core/access/session.ts'
import { sessionRows } from '../../../src/storage/access/session-rows.ts'
import { inAccess, stubOf } from './set-up.ts'

const START = Date.parse('2030-01-01T00:00:00Z')
const session = (id: string, owner = 'person:ann', hours = 12): Session => ({
  id,
  authenticatedBy: { kind: 'person', issuer: 'https://id.test', person: { user: 'ann', groups: [] } },
  owner,
  origin: 'https://tools.test',
  browser: 'a browser',
  created_at: new Date(START).toISOString(),
  expires_at: new Date(START + hours * 3_600_000).toISOString(),
})
const ids = (sessions: readonly Session[]) => sessions.map(({ id }) => id)

describe('sessions in the Access object', () => {
  it('are found by their hash and listed by their owner until they end', () =>
    inAccess(async ({ sql }) => {
      let now = START
      const rows = sessionRows(sql, () => now)
      rows.store(session('a'), 'hash-a')
      rows.store(session('b', 'person:bob', 1), 'hash-b')
      expect(rows.find('hash-a')).toEqual(session('a'))
      expect(rows.find('hash-')).toBeUndefined()
      expect(ids(rows.list())).toEqual(['a', 'b'])
      expect(ids(rows.list('person:bob'))).toEqual(['b'])
      now += 3_600_000
      expect(rows.find('hash-b')).toBeUndefined()
      expect(ids(rows.list())).toEqual(['a'])
      // Ended sessions are deleted when the next one starts
      rows.store(session('c'), 'hash-c')
      expect(sql.exec('SELECT id FROM session').toArray()).toHaveLength(2)
    }))

  it('begin once if the request is repeated because its response was lost', () =>
    inAccess(async ({ sql }) => {
      const rows = sessionRows(sql, () => START)
      for (let n = 0; n < 2; n += 1) rows.store(session('a'), 'hash-a')
      expect(ids(rows.list())).toEqual(['a'])
    }))

  it('can only be removed by their owner', () =>
    inAccess(async ({ sql }) => {
      const rows = sessionRows(sql, () => START)
      rows.store(session('a'), 'hash-a')
      expect(rows.remove('a', 'person:bob')).toBe(false)
      expect(rows.find('hash-a')).toBeDefined()
      expect(rows.remove('a', 'person:ann')).toBe(true)
      expect(rows.remove('a')).toBe(false)
    }))

  it('number at most 50 per owner: a new one replaces the oldest', () =>
    inAccess(async ({ sql }) => {
      let now = START
      const rows = sessionRows(sql, () => now)
      rows.store(session('bobs', 'person:bob', 1), 'hash-b')
      for (let n = 0; n < 52; n++) rows.store(session(`s${n}`, 'person:ann', 2 + n / 100), `hash-${n}`)
      expect(ids(rows.list('person:ann'))).toHaveLength(50)
      expect(rows.find('hash-1')).toBeUndefined()
      expect(rows.find('hash-2')).toBeDefined()
      expect(rows.find('hash-b')).toBeDefined()
    }))

  it('can be read from every isolate', () =>
    inAccess(async ({ access }) => {
      const stub = stubOf(access, [])
      const later = { ...session('a'), expires_at: new Date(Date.now() + 60_000).toISOString() }
      await stub.createSession(later, 'hash')
      expect(await stub.findSession('hash')).toEqual(later)
      expect(await stub.listSessions('person:ann')).toEqual([later])
      expect(await stub.removeSession('a', 'person:bob')).toBe(false)
      expect(await stub.removeSession('a')).toBe(true)
      expect(await stub.findSession('hash')).toBeUndefined()
    }))
})
