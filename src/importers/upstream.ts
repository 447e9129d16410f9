import type { Refused } from '../core/publish/source-refusal.ts'
import type { ImportRequest } from '../core/publish/import.ts'
import { isJsonObject, isList, type Json, type JsonObject } from '../core/tool/json.ts'
import { type Problem, pointerStep } from '../core/tool/problem.ts'
import type { Credential } from '../core/call/runner.ts'
import { isNamePart } from '../core/tool/tool-id.ts'
import type { Implementation, Requirements } from '../core/tool/tool.ts'
import { type Endpoint, locate } from '../runners/remote/endpoint.ts'
import { checkRemoteImplementation, type Protocol } from '../runners/remote/implementation.ts'

/** Another server whose tools are imported, and what all of them have in common. */
export interface Upstream {
  readonly endpoint: Endpoint
  /** Every tool's implementation but for the tool. */
  readonly implementation: Implementation
  /** What the credentials of every request take. */
  readonly requirements: Requirements
  readonly passUser: boolean
  /** The one toolkit of an OXP server that is wanted. */
  readonly theirToolkit: string | undefined
}

const KNOWN = {
  mcp: ['credentials', 'timeout_ms'],
  oxp: ['credentials', 'timeout_ms', 'pass_user', 'upstream_toolkit'],
}

/**
 * Reads which server to import from, and how it is reached: now with the deployment's secrets, as far as the request may
 * use them, and by the tools with what they require from then on.
 */
export function readUpstream(
  request: ImportRequest,
  protocol: Protocol,
): { readonly ok: true; readonly value: Upstream } | Refused {
  const { source, options } = request
  const problems: Problem[] = []
  const wrong = (path: string, message: string) => void problems.push({ path, message })
  for (const key of Object.keys(options)) {
    if (KNOWN[protocol].includes(key)) continue
    const known = ['from', 'toolkit', 'version', 'tools', ...KNOWN[protocol]].map((each) => `'${each}'`).join(', ')
    wrong(pointerStep(key), `Unknown field: wanted ${known}`)
  }
  const from = `/from/${protocol}`
  if (typeof source !== 'string') return invalid({ path: from, message: "Must be the server's URL" })
  const { pass_user = false, upstream_toolkit: theirs } = options
  if (theirs !== undefined && !(typeof theirs === 'string' && isNamePart(theirs))) {
    wrong('/upstream_toolkit', 'Must be 1 to 64 of the characters A-Z, a-z, 0-9, _ and -')
  }
  const credentials = (isList(options.credentials) ? options.credentials : [options.credentials ?? []].flat()).map(
    complete,
  )
  const requirements = requirementsOf(credentials)
  const implementation: Implementation = {
    kind: 'remote',
    protocol,
    url: source.trim(),
    credentials: credentials.map(({ credential }) => credential),
    ...(options.timeout_ms === undefined ? {} : { timeout_ms: options.timeout_ms }),
    ...(pass_user === false ? {} : { pass_user }),
  }
  const checked = checkRemoteImplementation({ ...implementation, tool: 'any' }, { requirements })
  if (!checked.ok) {
    for (const { path, message } of checked.problems) wrong(path === '/url' ? from : path, message)
  }
  const secrets = new Map<string, Credential>()
  for (const { id } of requirements.secrets) {
    const found = request.secret(id)
    if ('value' in found) secrets.set(id, { value: found.value, from: 'deployment' })
    else wrong('/credentials', found.missing)
  }
  if (!checked.ok || problems.length > 0) return invalid(...problems)
  // A user's token is nobody's while importing: what the server lists without it is what there is
  const ours = checked.value.credentials.filter((each) => each.source === 'secret')
  const located = locate({ url: checked.value.url, credentials: ours }, { secrets, tokens: new Map() })
  if (!located.ok) return invalid({ path: '/credentials', message: located.failure.message })
  return {
    ok: true,
    value: {
      endpoint: located.endpoint,
      implementation,
      requirements,
      passUser: checked.value.pass_user,
      theirToolkit: typeof theirs === 'string' ? theirs : undefined,
    },
  }
}

/** How long a server may take to list its tools. */
export const LISTING_MS = 60_000

/** The call's own signal, or the end of the time there is for listing. */
export function listingSignal(signal: ImportRequest['signal']): ImportRequest['signal'] {
  return AbortSignal.any([signal, AbortSignal.timeout(LISTING_MS)])
}

/** What is wrong with a request or its source. */
export function invalid(...problems: readonly Problem[]): Refused {
  return { ok: false, failure: { type: 'definition-invalid', problems } }
}

interface Completed {
  /** As an implementation has it. */
  readonly credential: Json
  readonly scopes: readonly string[]
}

/** A bearer token in the header `Authorization`, where nothing else is said. */
function complete(given: Json): Completed {
  if (!isJsonObject(given)) return { credential: given, scopes: [] }
  const { scopes, ...rest } = given
  const credential: JsonObject = { in: 'header', name: 'Authorization', ...rest }
  const bearer = credential.in === 'header' && String(credential.name).toLowerCase() === 'authorization'
  return {
    credential: bearer ? { format: 'Bearer {value}', ...credential } : credential,
    scopes: isList(scopes) ? scopes.filter((scope) => typeof scope === 'string') : [],
  }
}

function requirementsOf(credentials: readonly Completed[]): Requirements {
  const secrets = new Set<string>()
  const authorization = new Map<string, Set<string>>()
  for (const { credential, scopes } of credentials) {
    if (!isJsonObject(credential)) continue
    const { secret, authorization: provider } = credential
    if (typeof secret === 'string') secrets.add(secret)
    if (typeof provider !== 'string') continue
    const known = authorization.get(provider) ?? new Set<string>()
    for (const scope of scopes) known.add(scope)
    authorization.set(provider, known)
  }
  return {
    secrets: [...secrets].map((id) => ({ id })),
    authorization: [...authorization].map(([id, scopes]) =>
      scopes.size === 0 ? { id } : { id, oauth2: { scopes: [...scopes] } },
    ),
    user_id: false,
  }
}
