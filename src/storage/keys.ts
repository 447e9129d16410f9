/** `STORAGE.md` describes the value of each kind of KV key. */
const PREFIXES = {
  tool: 'tool/',
  record: 'record/',
  document: 'document/',
  address: 'address/',
  blob: 'blob/',
  page: 'catalogue/page/',
  name: 'name/',
  apiKey: 'key/',
  provider: 'provider/',
  eventSource: 'event-source/',
  policies: 'policies/',
  toolset: 'toolset/',
  lock: 'lock/',
} as const

export type KvKind = keyof typeof PREFIXES

export const KV_KINDS = Object.keys(PREFIXES).filter((kind): kind is KvKind => kind in PREFIXES)

export const MANIFEST_KEY = 'catalogue/manifest'

export const ALL_POLICIES = 'all'

export function kvKey(kind: KvKind, id: string): string {
  return PREFIXES[kind] + id
}

export function parseKvKey(key: string): { readonly kind: KvKind; readonly id: string } | undefined {
  const kind = KV_KINDS.find((each) => key.startsWith(PREFIXES[each]))
  return kind && { kind, id: key.slice(PREFIXES[kind].length) }
}

/** An artifact's id begins with ten characters that identify its principal. */
export const OWNER_LENGTH = 10

/** Returns an artifact's R2 key. For the first OWNER_LENGTH characters of an id, the prefix of its principal's artifacts. */
export function artifactKey(id: string): string {
  return `artifact/${id.slice(0, OWNER_LENGTH)}/${id.slice(OWNER_LENGTH)}`
}

/** Takes both as SHA-256. Without a call, returns the prefix of all outcomes of a principal. */
export function outcomeKey(principal: string, callId = ''): string {
  return `outcome/${principal}/${callId}`
}

/** Returns the R2 key of an uploaded file. Without an id, the prefix of all uploads of a principal. */
export function uploadKey(principal: string, user = '', id?: string): string {
  const prefix = `upload/${principal}/`
  return id === undefined ? prefix : `${prefix}${user || '-'}/${id}`
}

/** Ids of documents are unique within a dialect, ignoring case. */
export function documentKey(dialect: string, id: string): string {
  return `${dialect}/${id.toLowerCase()}`
}

/** Returns the R2 key of one part of a day's calls or acts. */
export function oldRecordsKey(kind: 'call' | 'act', day: string, part: number): string {
  return `${kind}s/${day}/${String(part).padStart(4, '0')}.jsonl`
}
