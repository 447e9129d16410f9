import type { Expected } from '../../core/tool/revision.ts'

/** The entity tags, unquoted (RFC 9110, section 13.1.1). Weak ones are left out, as the comparison is strong. */
export function ifMatch({ headers }: Request): Expected | undefined {
  const value = headers.get('if-match')?.trim()
  if (value === undefined || value === '*') return value
  return [...value.matchAll(/(?:^|,)\s*"([^"]*)"\s*(?=,|$)/g)].flatMap(([, tag]) => tag ?? [])
}
