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
export const MAX_COPIED_CHARACTERS = 10_000

/** A request as a command, which takes the key of whoever runs it from a variable; none where the deployment `isOpen`. */
export function formatCurl(
  { method, path, body, type = 'application/json', accept, ifMatch }: CurlRequest,
  origin: string,
  isOpen: boolean,
  variable = KEY_VARIABLE,
): string {
  // An answer that comes bit by bit is shown so
  const acceptOption = accept === undefined ? '' : ` \\\n  -N -H ${quoteForShell(`Accept: ${accept}`)}`
  const ifMatchOption = ifMatch === undefined ? '' : ` \\\n  -H ${quoteForShell(`If-Match: ${ifMatch}`)}`
  const data = (body?.length ?? 0) > MAX_COPIED_CHARACTERS ? '@body.json' : quoteForShell(withoutPasswords(body ?? ''))
  const flag = type === 'application/json' ? '-d' : '--data-binary'
  const bodyOptions = body === undefined ? '' : ` \\\n  -H ${quoteForShell(`Content-Type: ${type}`)} ${flag} ${data}`
  const methodOption = method === 'GET' || (method === 'POST' && body !== undefined) ? '' : `-X ${method} `
  const keyOption = isOpen ? '' : ` \\\n  -H "Authorization: Bearer $${variable}"`
  return `curl ${methodOption}${quoteForShell(origin + path)}${keyOption}${acceptOption}${ifMatchOption}${bodyOptions}`
}

/** A text as one word of a POSIX shell (Shell Command Language, 2.2.2): nothing in it is read but the quote itself. */
function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** A body without the passwords that URLs in it may hold before their `@` (RFC 3986, section 3.2.1). */
function withoutPasswords(body: string): string {
  return body.replaceAll(/(:\/\/)[^\s"'/@]{1,500}@/g, '$1…@')
}
