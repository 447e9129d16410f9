import { KEY_VARIABLE } from './agent-hosts.ts'

export interface CurlRequest {
  readonly method: string
  readonly path: string
  readonly body?: string | undefined
  /** Defaults to JSON. A body of another type that starts with `@` names a file. */
  readonly type?: string | undefined
  /** Absent if only JSON is accepted. */
  readonly accept?: string | undefined
  readonly ifMatch?: string | undefined
}

/** Limit for one request: shells do not accept much longer commands. */
export const MAX_COPIED_CHARACTERS = 10_000

/** Formats a request as a command that reads the key from a variable, or uses no key if the deployment `isOpen`. */
export function formatCurl(
  { method, path, body, type = 'application/json', accept, ifMatch }: CurlRequest,
  origin: string,
  isOpen: boolean,
  variable = KEY_VARIABLE,
): string {
  // Shows a streamed response as it arrives
  const acceptOption = accept === undefined ? '' : ` \\\n  -N -H ${quoteForShell(`Accept: ${accept}`)}`
  const ifMatchOption = ifMatch === undefined ? '' : ` \\\n  -H ${quoteForShell(`If-Match: ${ifMatch}`)}`
  const data = (body?.length ?? 0) > MAX_COPIED_CHARACTERS ? '@body.json' : quoteForShell(withoutPasswords(body ?? ''))
  const flag = type === 'application/json' ? '-d' : '--data-binary'
  const bodyOptions = body === undefined ? '' : ` \\\n  -H ${quoteForShell(`Content-Type: ${type}`)} ${flag} ${data}`
  const methodOption = method === 'GET' || (method === 'POST' && body !== undefined) ? '' : `-X ${method} `
  const keyOption = isOpen ? '' : ` \\\n  -H "Authorization: Bearer $${variable}"`
  return `curl ${methodOption}${quoteForShell(origin + path)}${keyOption}${acceptOption}${ifMatchOption}${bodyOptions}`
}

/** Quotes a text as one word of a POSIX shell (Shell Command Language, 2.2.2): only the quote itself is special. */
function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** Masks passwords before the `@` of URLs in a body (RFC 3986, section 3.2.1). */
function withoutPasswords(body: string): string {
  return body.replaceAll(/(:\/\/)[^\s"'/@]{1,500}@/g, '$1…@')
}
