/** What lies in KV under many keys, in the words of `STORAGE.md`, which says what each holds. */
export const KV_KINDS = [
  'tool',
  'record',
  'document',
  'address',
  'blob',
  'page',
  'name',
  'apiKey',
  'provider',
  'policies',
] as const

export type KvKind = (typeof KV_KINDS)[number]

const PREFIXES: Readonly<Record<KvKind, string>> = {
  tool: 'tool/',
  record: 'record/',
  document: 'document/',
  address: 'address/',
  blob: 'blob/',
  page: 'catalogue/page/',
  name: 'name/',
  apiKey: 'key/',
  provider: 'provider/',
  policies: 'policies/',
}

/** The key of the catalogue's head. */
export const HEAD_KEY = 'catalogue/head'

/** What tells all policies from others of their kind: they are read as one. */
export const ALL_POLICIES = 'all'

/** The KV key of one thing of a kind: all keys but the head's are made here. `of` tells it from others of its kind. */
export function kvKey(kind: KvKind, of: string): string {
  return PREFIXES[kind] + of
}

/** Reads a key that `kvKey` made; undefined for any other. */
export function parseKvKey(key: string): { readonly kind: KvKind; readonly of: string } | undefined {
  const kind = KV_KINDS.find((each) => key.startsWith(PREFIXES[each]))
  return kind && { kind, of: key.slice(PREFIXES[kind].length) }
}

/** The key of an artifact in R2: what a call gave. */
export function artifactKey(id: string): string {
  return 'artifact/' + id
}

/** The key of a file in R2 that somebody sent; without an id, what the keys of all that a principal sent begin with. */
export function uploadKey(principal: string, user = '', id?: string): string {
  const own = `upload/${principal}/`
  return id === undefined ? own : `${own}${user || '-'}/${id}`
}

/** What tells a document from others by its own id, which is unique in its dialect, ignoring case. */
export function documentKey(dialect: string, id: string): string {
  return `${dialect}/${id.toLowerCase()}`
}

/** The key of one part of a day's calls or acts in R2, once the day is old. */
export function oldRecordsKey(kind: 'call' | 'act', day: string, part: number): string {
  return `${kind}s/${day}/${String(part).padStart(4, '0')}.jsonl`
}
