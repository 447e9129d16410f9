import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../tool/json.ts'
import * as json from '../tool/json-reader.ts'
import type { Problem } from '../tool/problem.ts'
import type { Person } from './person.ts'

/** Users and groups (RFC 7643) of a company's directory. Only the attributes in `ATTRIBUTES` are stored. */
export type DirectoryKind = 'User' | 'Group'

const text = json.stringMatching('1 to 256 printable characters', /^[^\p{Cc}]{1,256}$/u)
const toWord = (value: unknown) => (typeof value === 'string' ? value.toLowerCase() : value)
/** Entra sends strings, such as 'False'. */
const BOOLEAN = json.custom('true or false', (value) =>
  [true, false].find((each) => each === value || String(each) === toWord(value)),
)
const ITEM = json.looseObject({ value: text, type: json.nullish(text) })
const itemList = (max: number) => json.nullish(json.array(ITEM, { max }), [])
const NAMES = { externalId: json.nullish(text), displayName: json.nullish(text) }
const USER_FIELDS = { userName: text, ...NAMES, active: json.nullish(BOOLEAN, true), emails: itemList(20) }
const GROUP_FIELDS = { ...NAMES, displayName: text, members: itemList(20_000) }
const USER = json.looseObject(USER_FIELDS)
const GROUP = json.looseObject(GROUP_FIELDS)
export const ATTRIBUTES = { User: Object.keys(USER_FIELDS), Group: Object.keys(GROUP_FIELDS) }

export type DirectoryUser = json.InferOutput<typeof USER>
type Attributes = DirectoryUser | json.InferOutput<typeof GROUP>
export type DirectoryEntry = Attributes & { readonly id: string }

const PATH =
  /^(?:urn:ietf:params:scim:schemas:core:2\.0:\w+:)?(\w+)(?:\[ *(\w+) +eq +"([^"\\]*)" *\])?(?:\.(\w+))?$|^urn:(?!ietf:params:scim:schemas:core:)/i
const OPS = ['add', 'replace', 'remove'] as const
const OPERATION = json.looseObject({
  op: json.custom("'add', 'replace' or 'remove'", (value) => OPS.find((op) => op === toWord(value))),
  path: json.optional(json.stringMatching('a path of an attribute', PATH, 1_000)),
  value: json.anyJson,
})
type Operation = json.InferOutput<typeof OPERATION>
const WHOLE = json.refine(OPERATION, ({ path, value }) =>
  path === undefined && !isJsonObject(value) ? "Must have a 'path', or an object in 'value'" : undefined,
)
/** RFC 7644, section 3.5.2. */
export const PATCH = json.refine(
  json.looseObject({ Operations: json.array(WHOLE, { min: 1, max: 100 }) }),
  // Each operation may search all members of a group
  ({ Operations }) =>
    Operations.flatMap(({ path, value }) => (path === undefined ? Object.keys(value ?? {}) : path)).length > 1_000
      ? 'Must change at most 1,000 attributes'
      : undefined,
)

/** A whole resource, or operations on the stored one. */
export type DirectoryChange = { readonly resource: JsonObject } | json.InferOutput<typeof PATCH>

export function applyChange(kind: DirectoryKind, before: JsonObject, change: DirectoryChange) {
  let changedResource = 'resource' in change ? change.resource : before
  if ('Operations' in change)
    for (const operation of change.Operations) changedResource = applyOperation(kind, changedResource, operation)
  return json.parseValue<Attributes>(kind === 'User' ? USER : GROUP, changedResource)
}

/** Applies one operation. Without a path, `value` maps paths to attributes. */
function applyOperation(kind: DirectoryKind, before: JsonObject, { op, path, value = null }: Operation): JsonObject {
  if (path === undefined) {
    let changedResource = before
    for (const [name, part = null] of Object.entries(isJsonObject(value) ? value : {}))
      changedResource = applyOperation(kind, changedResource, { op, path: name, value: part })
    return changedResource
  }
  const [, name = '', filterName = 'value', filterValue, part = 'value'] = PATH.exec(path) ?? []
  const attribute = ATTRIBUTES[kind].find((candidate) => candidate.toLowerCase() === name.toLowerCase())
  if (attribute === undefined || part !== 'value' || !['value', 'type'].includes(filterName)) return before
  const isList = attribute === 'emails' || attribute === 'members'
  if (!isList) return { ...before, [attribute]: op === 'remove' ? null : value }
  const isFiltered = filterValue !== undefined
  const items = listItems(value).map((item) => (isFiltered ? { [filterName]: filterValue, ...item } : item))
  const changedItems = new Set(isFiltered ? [filterValue] : items.map((item) => item['value']))
  const isWhole = !isFiltered && (op === 'replace' || value === null)
  const others = isWhole ? [] : listItems(before[attribute]).filter((item) => !changedItems.has(item[filterName]))
  return { ...before, [attribute]: op === 'remove' ? others : [...others, ...items] }
}

/** Lists the items. A plain string becomes the `value` of an item. */
function listItems(value: Json = null): readonly JsonObject[] {
  const values = isJsonArray(value) ? value : value === null ? [] : [value]
  return values.map((item) => (isJsonObject(item) ? item : { value: item }))
}

export interface DirectoryPage {
  readonly match?: { readonly field: 'id' | 'name' | 'external_id'; readonly value: string }
  readonly offset: number
  readonly limit: number
}
export type DirectoryResult =
  /** `leavers` are the ids that an inactive user may have here. */
  | { readonly entry: DirectoryEntry; readonly leavers: readonly string[] }
  | { readonly problems: readonly Problem[] }
  | 'not-found'
  | 'conflict'
export interface Directory {
  changeDirectory(kind: DirectoryKind, id: string, change: DirectoryChange, isNew?: boolean): Promise<DirectoryResult>
  removeDirectoryEntry(id: string): Promise<void>
  listDirectory(
    kind: DirectoryKind,
    page: DirectoryPage,
  ): Promise<{ total: number; entries: readonly DirectoryEntry[] }>
}

/** A person's state in the directory; undefined if the directory does not contain the person. */
export interface Membership {
  readonly isActive: boolean
  readonly groups: readonly string[]
}
export interface Identity extends Pick<Person, 'user' | 'address'> {
  /** The id at an issuer other than the sign-in provider. It can end access, but its groups may be another person's. */
  readonly foreignId?: string
}
export type FindMembership = (person: Identity) => Promise<Membership | undefined>

/** Matches a directory user by `userName` and e-mail address, or by `userName` or `externalId` and user id. */
export function isSamePerson({ userName, externalId }: DirectoryUser, person: Identity): boolean {
  return [userName, externalId].includes(toDirectoryId(person)) || hasAddress({ userName }, person)
}

export function hasAddress({ userName }: Pick<DirectoryUser, 'userName'>, { address }: Identity): boolean {
  return toAsciiLowerCase(userName) === address
}

/** Removes the issuer: with several issuers, a user is `<issuer>|<id>`. */
export function toDirectoryId({ user, foreignId }: Identity): string {
  return foreignId ?? user.replace(/^https?:\/\/[^|]+\|/, '')
}

/** Lowercases only A to Z: letters that become ASCII in lower case, such as U+212A, must not match an address. */
export function toAsciiLowerCase(value: string): string {
  return value.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
