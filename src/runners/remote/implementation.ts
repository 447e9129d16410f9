import type { Json } from '../../core/tool/json.ts'
import type { Checked, Problem } from '../../core/tool/problem.ts'
import { DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS } from '../../core/call/runner.ts'
import type { Definition } from '../../core/tool/tool.ts'
import { DocumentReader } from '../../core/tool/json-reader.ts'
import { headerNameProblem } from '../shared/header-rules.ts'
import { type CredentialPlacement, placeKey, readCredential, undeclaredCredential } from '../shared/credential.ts'
import { parseUrlTemplate, variableNames } from '../shared/url-template.ts'

export const PROTOCOLS = ['mcp', 'oxp'] as const
export type Protocol = (typeof PROTOCOLS)[number]

/** A `remote` implementation with its defaults filled in: one tool of another server. */
export interface RemoteImplementation {
  readonly kind: 'remote'
  readonly protocol: Protocol
  /** An MCP server's endpoint, or the URL that an OXP server's `/tools` and `/tools/call` begin with. */
  readonly url: string
  /** What the other server calls the tool: an MCP tool's name, or an OXP tool's id. */
  readonly tool: string
  /** Where the tool's secrets and tokens go in every request to the server. */
  readonly credentials: readonly CredentialPlacement<'header' | 'query'>[]
  /** Whether an OXP server is told for which user the call is. */
  readonly pass_user: boolean
  readonly timeout_ms: number
}

/** Headers that the protocols write themselves. */
const PROTOCOL_HEADERS = /^(?:accept|content-type|cookie|last-event-id|mcp-.*|oxp-version|traceparent|user-agent)$/i

/**
 * Checks a `remote` implementation as it is published with `definition`. Gives it with defaults filled in, or every
 * problem, with pointers that start at the implementation.
 */
export function checkRemoteImplementation(
  implementation: Json,
  definition: Pick<Definition, 'requirements'>,
): Checked<RemoteImplementation> {
  const reader = new DocumentReader()
  const value = readImplementation(implementation, reader)
  if (reader.problems.length > 0 || !value) return { ok: false, problems: reader.problems }
  const problems = [...urlProblems(value.url), ...credentialProblems(value, definition)]
  return problems.length > 0 ? { ok: false, problems } : { ok: true, value }
}

function readImplementation(document: Json, reader: DocumentReader): RemoteImplementation | undefined {
  const known = ['kind', 'protocol', 'url', 'tool', 'credentials', 'pass_user', 'timeout_ms']
  const fields = reader.object(document, '', known)
  if (!fields) return undefined
  reader.oneOf(fields['kind'], '/kind', ['remote'])
  const protocol = reader.oneOf(fields['protocol'], '/protocol', PROTOCOLS)
  const url = reader.string(fields['url'], '/url')
  const tool = reader.string(fields['tool'], '/tool')
  const credentials = reader.list(fields['credentials'], '/credentials', (each, path) =>
    readCredential(each, path, ['header', 'query'], reader),
  )
  const passUser = reader.boolean(fields['pass_user'] ?? false, '/pass_user')
  const timeout = reader.integer(fields['timeout_ms'] ?? DEFAULT_TIMEOUT_MS, '/timeout_ms', 1, MAX_TIMEOUT_MS)
  if (passUser && protocol === 'mcp') reader.problem('/pass_user', 'MCP has no place for a user: wanted false')
  if (protocol === undefined || url === undefined || tool === undefined) return undefined
  return { kind: 'remote', protocol, url, tool, credentials, pass_user: passUser, timeout_ms: timeout }
}

/** What is wrong with a server's URL: it names one place, and nothing of a call changes it. */
function urlProblems(url: string): Problem[] {
  const template = parseUrlTemplate(url)
  if ('problem' in template) return [{ path: '/url', message: template.problem }]
  const parts = [...template.authority, ...template.path, ...(template.query ?? [])]
  const [variable] = variableNames(parts)
  if (variable !== undefined) return [{ path: '/url', message: `wanted a URL without variables, got "{${variable}}"` }]
  return URL.canParse(url) ? [] : [{ path: '/url', message: 'the URL is not valid' }]
}

function credentialProblems(
  { credentials }: RemoteImplementation,
  { requirements }: Pick<Definition, 'requirements'>,
): Problem[] {
  const written = new Set<string>()
  return credentials.flatMap((each, index) => {
    const path = `/credentials/${index}`
    const wrong = each.in === 'header' ? headerProblem(each.name) : undefined
    const isTwice = written.has(placeKey(each))
    written.add(placeKey(each))
    return [
      ...(wrong === undefined ? [] : [{ path: `${path}/name`, message: wrong }]),
      ...(isTwice ? [{ path: `${path}/name`, message: `"${each.name}" is written twice` }] : []),
      ...undeclaredCredential(each, path, requirements),
    ]
  })
}

function headerProblem(name: string): string | undefined {
  return (
    headerNameProblem(name) ?? (PROTOCOL_HEADERS.test(name) ? `the header "${name}" is the protocol's own` : undefined)
  )
}
