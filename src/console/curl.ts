import type { MadeRequest } from './visit.ts'

/** The environment variable that commands read the key from: no key stands on a page. */
export const KEY_VARIABLE = 'SWITCHBOARD_KEY'

/** In characters, for one request: no shell takes a much longer command. */
export const MAX_COPIED = 10_000

/** A request as a command, which takes the key of whoever runs it; none where the deployment `isOpen`. */
export function curlOf({ method, path, body, accept, ifMatch }: MadeRequest, origin: string, isOpen: boolean): string {
  // An answer that comes bit by bit is shown so
  const stream = accept === undefined ? '' : ` \\\n  -N -H ${quoted(`Accept: ${accept}`)}`
  const condition = ifMatch === undefined ? '' : ` \\\n  -H ${quoted(`If-Match: ${ifMatch}`)}`
  const sent = (body?.length ?? 0) > MAX_COPIED ? '@body.json' : quoted(withoutPasswords(body ?? ''))
  const post = body === undefined ? '' : ` \\\n  -H 'Content-Type: application/json' -d ${sent}`
  const verb = method === 'GET' || (method === 'POST' && body !== undefined) ? '' : `-X ${method} `
  const key = isOpen ? '' : ` \\\n  -H "Authorization: Bearer $${KEY_VARIABLE}"`
  return `curl ${verb}${quoted(origin + path)}${key}${stream}${condition}${post}`
}

/** A text as one word of a POSIX shell (Shell Command Language, 2.2.2): nothing in it is read but the quote itself. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** A body without the passwords that URLs in it may hold before their `@` (RFC 3986, section 3.2.1). */
function withoutPasswords(body: string): string {
  return body.replaceAll(/(:\/\/)[^\s"'/@]{1,500}@/g, '$1…@')
}
