import * as directory from '../../core/access/directory.ts'
import { parseFailure } from '../../core/tool/problem.ts'
import { column, readField, rows } from '../rows.ts'

/** Separate from the other tables, because an Access object that an older deployment created lacks them. */
const TABLES = `
CREATE TABLE IF NOT EXISTS directory_entry (
  id TEXT PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL COLLATE NOCASE, external_id TEXT, body TEXT NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS directory_name ON directory_entry (kind, name);
CREATE INDEX IF NOT EXISTS directory_external_id ON directory_entry (external_id);
CREATE TABLE IF NOT EXISTS directory_member (user_id TEXT, group_id TEXT, PRIMARY KEY (user_id, group_id)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS directory_group ON directory_member (group_id);
CREATE TABLE IF NOT EXISTS directory_person (user TEXT PRIMARY KEY, id TEXT NOT NULL, address TEXT);
`
const MAX_ENTRIES = { User: 20_000, Group: 2_000 }
const MAX_PAGE_MEMBERS = 20_000
const MAX_MEMBERSHIPS = 500_000
const UNKNOWN_MEMBER = `SELECT value FROM json_each(?)
  WHERE value NOT IN (SELECT id FROM directory_entry WHERE kind = 'User') LIMIT 1`
const MEMBERS = 'SELECT user_id AS value FROM directory_member WHERE group_id = ?'
const COUNT_WITH = 'SELECT count(*) + json_array_length(?2) FROM directory_member WHERE group_id <> ?1'
const OTHER_MEMBERS =
  'DELETE FROM directory_member WHERE group_id = ? AND user_id NOT IN (SELECT value FROM json_each(?))'
const NOTE_PERSON = `INSERT INTO directory_person VALUES (?, ?, ?)
  ON CONFLICT DO UPDATE SET address = excluded.address WHERE address IS NOT excluded.address`

export type DirectoryRows = ReturnType<typeof directoryRows>

export function directoryRows(sql: SqlStorage) {
  sql.exec(TABLES)

  /** Lists a page, which ends early if its groups together have more than MAX_PAGE_MEMBERS members. */
  function list(kind: directory.DirectoryKind, { match, offset, limit }: directory.DirectoryPage) {
    const matching = `FROM directory_entry WHERE kind = ?${match ? ` AND ${match.field} = ?` : ''}`
    const bindings = [kind, ...(match ? [match.value] : [])]
    const page = `SELECT body ${matching} ORDER BY name LIMIT ? OFFSET ?`
    const entries: directory.DirectoryEntry[] = []
    let memberCount = 0
    for (const body of column<string>(sql, page, ...bindings, limit, offset)) {
      const entry: directory.DirectoryEntry = JSON.parse(body)
      const members = rows<{ value: string }>(sql, MEMBERS, entry.id)
      memberCount += members.length
      if (memberCount > MAX_PAGE_MEMBERS && entries.length > 0) break
      entries.push(kind === 'User' ? entry : { ...entry, members })
    }
    return { total: readField<number>(sql, `SELECT count(*) ${matching}`, ...bindings) ?? 0, entries }
  }

  const find = (kind: directory.DirectoryKind, field: 'id' | 'name', value: string) =>
    list(kind, { match: { field, value }, offset: 0, limit: 1 }).entries[0]

  return {
    list,

    /** All checks come before the first write. */
    change(
      ...[kind, id, change, isNew = false]: Parameters<directory.Directory['changeDirectory']>
    ): directory.DirectoryResult {
      const before = find(kind, 'id', id)
      if (!before && !isNew) return 'not-found'
      const read = directory.applyChange(kind, { ...before }, change)
      if (!read.ok) return read
      const entry = { ...read.value, id }
      const name = 'userName' in entry ? entry.userName : entry.displayName
      if ((find(kind, 'name', name)?.id ?? id) !== id) return 'conflict'
      const members = JSON.stringify('members' in entry ? entry.members.map(({ value }) => value) : [])
      const unknown = readField<string>(sql, UNKNOWN_MEMBER, members)
      if (unknown !== undefined) return parseFailure(`Cannot find the user '${unknown}'`, '/members')
      if (members !== '[]' && (readField<number>(sql, COUNT_WITH, id, members) ?? 0) > MAX_MEMBERSHIPS)
        return parseFailure(`There may be ${MAX_MEMBERSHIPS} memberships`, '/members')
      const max = MAX_ENTRIES[kind]
      if (isNew && list(kind, { offset: 0, limit: 0 }).total >= max) return parseFailure(`There are ${max} already`)
      const row = [id, kind, name, entry.externalId ?? null, JSON.stringify({ ...entry, members: undefined })]
      sql.exec('INSERT OR REPLACE INTO directory_entry VALUES (?, ?, ?, ?, ?)', ...row)
      sql.exec(OTHER_MEMBERS, id, members)
      sql.exec('INSERT OR IGNORE INTO directory_member SELECT value, ? FROM json_each(?)', id, members)
      // Providers may rename users when they deactivate them
      const users = [before ?? entry, entry].filter((user) => 'userName' in user)
      return { entry, leavers: users.at(-1)?.active === false ? users.flatMap(listUserIds) : [] }
    },

    remove(id: string): void {
      sql.exec('DELETE FROM directory_entry WHERE id = ?', id)
      sql.exec('DELETE FROM directory_member WHERE user_id = ?1 OR group_id = ?1', id)
    },

    /** Stores the ids of people, because the directory may know only their addresses. */
    findMembership(identity: directory.Identity): directory.Membership | undefined {
      const { user } = identity
      const notedAddress = readField<string | null>(sql, 'SELECT address FROM directory_person WHERE user = ?', user)
      const address = identity.address ?? notedAddress ?? null
      const person = address === null ? identity : { ...identity, address }
      const id = directory.toDirectoryId(person)
      if (user !== id || (address ?? id) !== id) sql.exec(NOTE_PERSON, user, id, address)
      const query = `SELECT body FROM directory_entry WHERE kind = 'User' AND (name IN (?1, ?2) OR external_id = ?1)`
      const users = column<string>(sql, query, id, address).map((body): UserEntry => JSON.parse(body))
      const entries = users.filter((entry) => directory.isSamePerson(entry, person))
      const groups = `SELECT DISTINCT name FROM directory_member JOIN directory_entry ON id = group_id
        WHERE user_id IN (SELECT value FROM json_each(?))`
      const isForeign = person.foreignId !== undefined
      const members = isForeign ? entries.filter((entry) => directory.hasAddress(entry, person)) : entries
      const ids = JSON.stringify(members.map((entry) => entry.id))
      const isActive = entries.every(({ active }) => active)
      return entries.length === 0 ? undefined : { isActive, groups: column<string>(sql, groups, ids) }
    },
  }

  function listUserIds({ userName, externalId = userName }: directory.DirectoryUser): readonly string[] {
    const address = directory.toAsciiLowerCase(userName)
    const query = 'SELECT user FROM directory_person WHERE id IN (?, ?) OR address = ?'
    return [userName, externalId, address, ...column<string>(sql, query, userName, externalId, address)]
  }
}

type UserEntry = directory.DirectoryUser & { readonly id: string }
