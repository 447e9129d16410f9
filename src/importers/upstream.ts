import type { Credential } from '../core/call/runner.ts'
import type { ImportRequest } from '../core/publish/import.ts'
import { invalidSource, type Refused } from '../core/publish/source-refusal.ts'
import type { Codec } from '../core/tool/codec.ts'
import { isJsonObject, isList, type Json, type JsonObject } from '../core/tool/json.ts'
import type { Signal } from '../core/tool/platform.ts'
import { type Checked, type Problem, pointerStep } from '../core/tool/problem.ts'
import { isNamePart } from '../core/tool/tool-id.ts'
import type { Implementation, Requirements } from '../core/tool/tool.ts'
import { type CredentialUse, credentialNeeds } from './shared/credential-needs.ts'

/**
 * What is wrong with an implementation of any tool of another server, where it requires this; else how to list that
 * server's tools. Paths start at the implementation.
 */
export type Upstreams = (implementation: Implementation, requirements: Requirements) => Checked<ListTools>

/** Asks another server for all of its tools, unjudged. `secrets` are those of the implementation's credentials. */
export type ListTools = (
  secrets: ReadonlyMap<string, Credential>,
  options: {
    /** The one toolkit of an OXP server that is wanted. */
    readonly toolkit: string | undefined
    readonly timeoutMs: number
    readonly signal: Signal
  },
) => Promise<Checked<{ readonly tools: readonly unknown[]; readonly version?: string | undefined }>>

export interface UpstreamImporterOptions {
  readonly upstreams: Upstreams
  /** The dialect the other server's definitions are in. */
  readonly codec: Codec
}

/** Another server's tools as it lists them, and what all of them have in common here. */
export interface Upstream {
  readonly tools: readonly unknown[]
  /** The server's own. */
  readonly version: string | undefined
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

/** How long a server may take to list its tools. */
const LISTING_MS = 60_000

/**
 * Reads which server to import from and how it is reached, and lists its tools: now with the deployment's secrets, as far
 * as the request may use them, and when they are called with what the tools require.
 */
export async function readUpstream(
  request: ImportRequest,
  protocol: keyof typeof KNOWN,
  upstreams: Upstreams,
): Promise<{ readonly ok: true; readonly value: Upstream } | Refused> {
  const { source, options } = request
  const problems: Problem[] = []
  const wrong = (path: string, message: string) => void problems.push({ path, message })
  for (const key of Object.keys(options)) {
    if (KNOWN[protocol].includes(key)) continue
    const known = ['from', 'toolkit', 'version', 'tools', ...KNOWN[protocol]].map((each) => `'${each}'`).join(', ')
    wrong(pointerStep(key), `Unknown field: wanted ${known}`)
  }
  const from = `/from/${protocol}`
  const atSource = ({ path, message }: Problem) => ({ path: path === '/url' ? from : path, message })
  if (typeof source !== 'string') return invalidSource({ path: from, message: "Must be the server's URL" })
  const { pass_user = false, upstream_toolkit: theirs } = options
  const theirToolkit = typeof theirs === 'string' ? theirs : undefined
  if (theirs !== undefined && (theirToolkit === undefined || !isNamePart(theirToolkit))) {
    wrong('/upstream_toolkit', 'Must be 1 to 64 of the characters A-Z, a-z, 0-9, _ and -')
  }
  const credentials = (isList(options.credentials) ? options.credentials : [options.credentials ?? []].flat()).map(
    complete,
  )
  const { secrets: required, authorization } = credentialNeeds(credentials)
  const requirements: Requirements = {
    secrets: required,
    authorization: authorization.map(({ id, oauth2 }) => (oauth2.scopes.length === 0 ? { id } : { id, oauth2 })),
    user_id: false,
  }
  const implementation: Implementation = {
    kind: 'remote',
    protocol,
    url: source.trim(),
    credentials: credentials.flatMap((use) => use.credentials),
    ...(options.timeout_ms === undefined ? {} : { timeout_ms: options.timeout_ms }),
    ...(pass_user === false ? {} : { pass_user }),
  }
  const upstream = upstreams(implementation, requirements)
  if (!upstream.ok) problems.push(...upstream.problems.map(atSource))
  const secrets = new Map<string, Credential>()
  for (const { id } of requirements.secrets) {
    const found = request.secret(id)
    if ('value' in found) secrets.set(id, { value: found.value, from: 'deployment' })
    else wrong('/credentials', found.missing)
  }
  if (!upstream.ok || problems.length > 0) return invalidSource(...problems)
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(LISTING_MS)])
  const listed = await upstream.value(secrets, { toolkit: theirToolkit, timeoutMs: LISTING_MS, signal })
  if (!listed.ok) {
    const late = { path: from, message: `Does not list its tools within ${LISTING_MS / 1000} seconds` }
    return invalidSource(...(signal.aborted ? [late] : listed.problems.map(atSource)))
  }
  const { tools, version } = listed.value
  const passUser = pass_user === true
  return { ok: true, value: { tools, version, implementation, requirements, passUser, theirToolkit } }
}

/** A bearer token in the header `Authorization`, where nothing else is said. */
function complete(given: Json): CredentialUse {
  if (!isJsonObject(given)) return { credentials: [given], scopes: [] }
  const { scopes, ...rest } = given
  const credential: JsonObject = { in: 'header', name: 'Authorization', ...rest }
  const bearer = credential.in === 'header' && String(credential.name).toLowerCase() === 'authorization'
  return {
    credentials: [bearer ? { format: 'Bearer {value}', ...credential } : credential],
    scopes: isList(scopes) ? scopes.filter((scope) => typeof scope === 'string') : [],
  }
}
