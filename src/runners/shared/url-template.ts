type TemplatePart = { readonly literal: string } | { readonly name: string }

/** A URL with simple `{name}` expressions (RFC 6570 level 1), split where the meaning of variables changes. */
export interface UrlTemplate {
  /** Undefined for a template that begins with a variable, whose value is a whole origin: `{server_url}/v1/users`. */
  readonly scheme: string | undefined
  /** Host and port: only a credential may fill a variable here. */
  readonly authority: readonly TemplatePart[]
  readonly path: readonly TemplatePart[]
  readonly query: readonly TemplatePart[] | undefined
}

const URL_TEMPLATE = /^(https?):\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?$/i
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/
const HOST = /^(?:[^:@[\]\\]+|\[[0-9a-f:.]+\])(?::\d+)?$/i
/** A segment that URL parsers read as `.` or `..` (URL Standard, "single-dot" and "double-dot" segments). */
const DOT_SEGMENT = /^(?:\.|%2e){1,2}$/i

export function parseUrlTemplate(text: string): UrlTemplate | { readonly problem: string } {
  const isSchemeless = text.startsWith('{')
  const [, scheme, authority = '', path = '', query] = URL_TEMPLATE.exec(isSchemeless ? `https://${text}` : text) ?? []
  if (scheme === undefined) return { problem: 'Must be an absolute http or https URL without a fragment' }
  const [authorityParts, pathParts, queryParts] = [authority, path, query ?? ''].map(parseParts)
  if (!authorityParts || !pathParts || !queryParts)
    return { problem: "Must have no other braces than those of simple expressions such as '{name}'" }
  const sample = expandParts(authorityParts, () => 'x')
  if (!HOST.test(sample) || !URL.canParse(`${scheme}://${sample}`))
    return { problem: `Must have nothing but a host and an optional port between '${scheme}://' and the path` }
  if (isSchemeless && authorityParts.length !== 1)
    return { problem: 'Must have a scheme, or one variable for the whole of scheme, host and port' }
  if (hasDotSegment(path)) return { problem: "Must not have the segment '.' or '..' in its path" }
  return {
    scheme: isSchemeless ? undefined : scheme.toLowerCase(),
    authority: authorityParts,
    path: pathParts,
    query: query === undefined ? undefined : queryParts,
  }
}

export function hasDotSegment(path: string): boolean {
  return path.split('/').some((segment) => DOT_SEGMENT.test(segment))
}

export function getHost(template: string): string {
  const [, authority = template] = /^(?:https?:\/\/)?([^/?#]*)/i.exec(template) ?? []
  return authority.toLowerCase().replace(/:443$/, '')
}

export function variableNames(parts: readonly TemplatePart[]): string[] {
  return parts.flatMap((part) => ('name' in part ? [part.name] : []))
}

export function expandParts(parts: readonly TemplatePart[], value: (name: string) => string): string {
  return parts.map((part) => ('name' in part ? value(part.name) : part.literal)).join('')
}

function parseParts(text: string): TemplatePart[] | undefined {
  const parts: TemplatePart[] = []
  for (const [index, piece] of text.split(/\{([^{}]*)\}/).entries()) {
    if (index % 2 === 1) {
      if (!NAME.test(piece)) return undefined
      parts.push({ name: piece })
    } else if (/[{}]/.test(piece)) {
      return undefined
    } else if (piece !== '') {
      parts.push({ literal: piece })
    }
  }
  return parts
}

/** Encodes all but unreserved characters (RFC 3986 section 2.3; RFC 6570 section 3.2.2). Lone surrogates become U+FFFD. */
export function encodeStrictly(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
