import { KEY_VARIABLE } from './agent-hosts.ts'

export interface CurlRequest {
  readonly method: string
  readonly path: string
  readonly body?: string | undefined
  /** JSON if absent. A body of another type that begins with `@` names a file. */
  readonly type?: string | undefined
  /** Absent for JSON alone. */
  readonly accept?: string | undefined
  readonly ifMatch?: string | undefined
}

/** In characters, for one request: no shell takes a much longer command. */
export const MAX_COPIED = 10_000

/** A request as a command, which takes the key of whoever runs it from a variable; none where the deployment `isOpen`. */
export function formatCurl(
  { method, path, body, type = 'application/json', accept, ifMatch }: CurlRequest,
  origin: string,
  isOpen: boolean,
  variable = KEY_VARIABLE,
): string {
  // An answer that comes bit by bit is shown so
  const stream = accept === undefined ? '' : ` \\\n  -N -H ${quoted(`Accept: ${accept}`)}`
  const condition = ifMatch === undefined ? '' : ` \\\n  -H ${quoted(`If-Match: ${ifMatch}`)}`
  const sent = (body?.length ?? 0) > MAX_COPIED ? '@body.json' : quoted(withoutPasswords(body ?? ''))
  const flag = type === 'application/json' ? '-d' : '--data-binary'
  const post = body === undefined ? '' : ` \\\n  -H ${quoted(`Content-Type: ${type}`)} ${flag} ${sent}`
  const verb = method === 'GET' || (method === 'POST' && body !== undefined) ? '' : `-X ${method} `
  const key = isOpen ? '' : ` \\\n  -H "Authorization: Bearer $${variable}"`
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
