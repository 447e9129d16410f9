import { describe, expect, it } from 'vitest'
import { inAccess } from './set-up.ts'

const user = (userName: string, more: object = {}) => ({ resource: { userName, ...more } })
const group = (displayName: string, ...members: readonly string[]) => ({
  resource: { displayName, members: members.map((value) => ({ value })) },
})
const off = { Operations: [{ op: 'replace', path: 'active', value: false } as const] }

describe('the directory in the Access object', () => {
  it('is created in an object of an older deployment, which keeps its data', () =>
    inAccess(async ({ access, sql, restart }) => {
      access.noteGrantHolder('ann', 1)
      await access.findMembership({ user: 'ann' })
      for (const table of ['entry', 'member', 'person']) sql.exec(`DROP TABLE directory_${table}`)
      const later = restart()
      expect(await later.listDirectory('User', { offset: 0, limit: 1 })).toEqual({ total: 0, entries: [] })
      expect(later.listUsers({ after: '', text: '', limit: 9 }, [])).toMatchObject([{ user: 'ann' }])
      await later.changeDirectory('User', 'u1', user('ann'), true)
      expect(await restart().listDirectory('User', { offset: 0, limit: 1 })).toMatchObject({ total: 1 })
    }))

  it('finds a person by address or id, with the groups that the person is a member of', () =>
    inAccess(async ({ access }) => {
      await access.changeDirectory('User', 'u1', user('Ann@acme.test', { externalId: '00u1' }), true)
      await access.changeDirectory('User', 'u2', user('bob@acme.test'), true)
      await access.changeDirectory('Group', 'g1', group('Staff', 'u1', 'u2'), true)
      await access.changeDirectory('Group', 'g2', group('Admins', 'u1'), true)
      const found = (person: { user: string; address?: string }) => access.findMembership(person)
      const both = { isActive: true, groups: expect.arrayContaining(['Staff', 'Admins']) }
      expect(await found({ user: 'ann@acme.test', address: 'ann@acme.test' })).toEqual(both)
      expect(await found({ user: '00u1' })).toEqual(both)
      expect(await found({ user: 'https://id.test|00u1' })).toEqual(both)
      expect(await found({ user: 'bob@acme.test', address: 'bob@acme.test' })).toEqual({
        isActive: true,
        groups: ['Staff'],
      })
      expect(await found({ user: 'ANN@acme.test' })).toBeUndefined()
      expect(await found({ user: 'cy', address: 'cy@acme.test' })).toBeUndefined()
      await access.removeDirectoryEntry('g2')
      await access.changeDirectory('User', 'u1', off)
      expect(await found({ user: '00u1' })).toEqual({ isActive: false, groups: ['Staff'] })
      await access.removeDirectoryEntry('u1')
      expect(await found({ user: '00u1' })).toBeUndefined()
      expect(await access.listDirectory('Group', { offset: 0, limit: 9 })).toMatchObject({
        total: 1,
        entries: [{ id: 'g1', members: [{ value: 'u2' }] }],
      })
    }))

  it('limits the memberships of all groups together', () =>
    inAccess(async ({ access, sql }) => {
      await access.changeDirectory('User', 'u1', user('ann@acme.test'), true)
      await access.changeDirectory('Group', 'g1', group('Staff', 'u1'), true)
      sql.exec(`INSERT INTO directory_member WITH RECURSIVE numbers (n) AS
        (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 499999) SELECT 'm' || n, 'g0' FROM numbers`)
      expect(await access.changeDirectory('Group', 'g1', group('Staff', 'u1'))).toMatchObject({ entry: { id: 'g1' } })
      expect(await access.changeDirectory('Group', 'g2', group('Admins', 'u1'), true)).toMatchObject({
        problems: [{ path: '/members', message: expect.stringContaining('500000 memberships') }],
      })
      expect(await access.changeDirectory('Group', 'g2', group('Admins'), true)).toMatchObject({ entry: { id: 'g2' } })
    }))

  it('treats a person with several users as inactive if one of them is inactive', () =>
    inAccess(async ({ access }) => {
      await access.changeDirectory('User', 'u1', user('ann@acme.test'), true)
      await access.changeDirectory('User', 'u2', user('ann.old', { externalId: '00u1', active: false }), true)
      expect(await access.findMembership({ user: '00u1', address: 'ann@acme.test' })).toMatchObject({ isActive: false })
    }))

  it('gives the ids of a person who leaves: those in the directory and those seen with the address', () =>
    inAccess(async ({ access }) => {
      await access.findMembership({ user: 'https://id.test|00u1', address: 'ann@acme.test' })
      await access.findMembership({ user: '00u2', address: 'bob@acme.test' })
      await access.findMembership({ user: 'ann@acme.test', address: 'ann@acme.test' })
      const added = await access.changeDirectory('User', 'u1', user('Ann@acme.test', { externalId: 'e1' }), true)
      expect(added).toMatchObject({ leavers: [] })
      const left = await access.changeDirectory('User', 'u1', off)
      expect(new Set(Object(left).leavers)).toEqual(
        new Set(['Ann@acme.test', 'e1', 'ann@acme.test', 'https://id.test|00u1']),
      )
      const renamed = await access.changeDirectory('User', 'u1', user('gone', { active: false }))
      expect(Object(renamed).leavers).toEqual(expect.arrayContaining(['gone', 'ann@acme.test', 'https://id.test|00u1']))
      const back = await access.changeDirectory('User', 'u1', user('ann@acme.test'))
      expect(back).toMatchObject({ leavers: [] })
    }))

  it('changes nothing when a change is refused', () =>
    inAccess(async ({ access }) => {
      await access.changeDirectory('User', 'u1', user('ann'), true)
      await access.changeDirectory('Group', 'g1', group('Staff', 'u1'), true)
      const before = await access.listDirectory('Group', { offset: 0, limit: 9 })
      expect(await access.changeDirectory('Group', 'g1', group('Others', 'nobody'))).toHaveProperty('problems')
      expect(await access.changeDirectory('Group', 'g2', group('STAFF'), true)).toBe('conflict')
      expect(await access.changeDirectory('Group', 'none', group('None'))).toBe('not-found')
      expect(await access.changeDirectory('User', 'g1', user('x'))).toBe('not-found')
      expect(await access.listDirectory('Group', { offset: 0, limit: 9 })).toEqual(before)
    }))

  it('has at most 2,000 groups, 20,000 users, and 20,000 members in a page', () =>
    inAccess(async ({ access, sql }) => {
      await access.findMembership({ user: 'ann' })
      const add = `INSERT INTO directory_entry SELECT ?1 || value, ?1, ?1 || value, NULL,
        json_object('id', ?1 || value, 'userName', ?1 || value, 'displayName', ?1 || value, 'active', json('true'))
        FROM json_each(?2)`
      const numbers = (count: number) => JSON.stringify(Array.from({ length: count }, (_, index) => index))
      sql.exec(add, 'User', numbers(20_000))
      sql.exec(add, 'Group', numbers(1_999))
      const all = Array.from({ length: 20_000 }, (_, index) => `User${index}`)
      expect(await access.changeDirectory('Group', 'last', group('A last one', ...all), true)).toHaveProperty('entry')
      const full = { problems: [{ message: expect.stringContaining('already') }] }
      expect(await access.changeDirectory('Group', 'more', group('More'), true)).toMatchObject(full)
      expect(await access.changeDirectory('User', 'more', user('more'), true)).toMatchObject(full)
      expect(await access.changeDirectory('User', 'User7', user('seven'))).toHaveProperty('entry')
      const one = [{ op: 'add', path: 'members', value: 'User1' } as const]
      expect(await access.changeDirectory('Group', 'Group0', { Operations: one })).toHaveProperty('entry')
      const page = await access.listDirectory('Group', { offset: 0, limit: 100 })
      expect([page.total, page.entries.length]).toEqual([2_000, 1])
      expect((await access.listDirectory('Group', { offset: 1, limit: 100 })).entries).toHaveLength(100)
    }))
})
