/** Kinds in order of preference. */
const MEDIA_KINDS = ['json', 'form', 'multipart', 'text', 'binary'] as const
export type MediaKind = (typeof MEDIA_KINDS)[number]

/** RFC 9110, sections 8.3.1 and 12.5.1; a range is treated as JSON. */
export function kindOfMedia(type: string): MediaKind {
  const essence = parseMediaType(type)
  if (essence === '*/*' || essence === 'application/*') return 'json'
  if (/^[^/]+\/(?:[^/]+\+)?json$/.test(essence)) return 'json'
  if (essence === 'application/x-www-form-urlencoded') return 'form'
  if (essence.startsWith('multipart/')) return 'multipart'
  if (essence.startsWith('text/') || /[/+](?:xml|yaml|graphql|javascript|ndjson|x-ndjson)$/.test(essence)) return 'text'
  return 'binary'
}

export function chooseMedia(types: readonly string[]): { readonly type: string; readonly kind: MediaKind } | undefined {
  const exact = types.find((type) => parseMediaType(type) === 'application/json')
  if (exact !== undefined) return { type: exact, kind: 'json' }
  for (const kind of MEDIA_KINDS) {
    const type = types.find((candidate) => kindOfMedia(candidate) === kind)
    if (type !== undefined) return { type, kind }
  }
  return undefined
}

export function isRange(type: string): boolean {
  return parseMediaType(type).includes('*')
}

/** Checks whether this is one media type, not a range or list. */
export function isConcrete(type: string): boolean {
  return /^[\w.+-]+\/[\w.+-]+(?:;[^,]*)?$/.test(type.trim())
}

function parseMediaType(type: string): string {
  return (type.split(';')[0] ?? '').trim().toLowerCase()
}
