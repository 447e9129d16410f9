import type { Invocation } from '../../core/call/invocation.ts'
import type { RunContext } from '../../core/call/runner.ts'
import type { GuardedFetch, GuardedRequest } from '../../outbound/guarded-fetch.ts'
import type { GuardedStream } from '../../outbound/guarded-stream.ts'
import type { Sha256 } from '../../core/tool/digest.ts'
import type { RemoteDialect } from '../../core/tool/remote-dialect.ts'
import { placeCredentials } from '../shared/place-credentials.ts'
import { requestHeaders, requestBuildFailure } from '../shared/retrying-call.ts'
import { parseUrlTemplate } from '../shared/url-template.ts'
import type { RemoteImplementation } from './implementation.ts'
import type { KnownRevisions } from './mcp/known-revisions.ts'

export interface RemoteDeps {
  /** For servers that accept JSON over HTTP. MCP has a separate client. */
  readonly dialects: ReadonlyMap<string, RemoteDialect>
  readonly newId: () => string
  readonly guardedFetch: GuardedFetch
  readonly guardedStream: GuardedStream
  readonly revisions: KnownRevisions
  readonly now: () => number
  readonly sha256: Sha256
}

export type Endpoint = Extract<ReturnType<typeof createEndpoint>, { readonly ok: true }>['endpoint']

/** One request of a call to a server. */
export interface RemoteCall {
  readonly invocation: Invocation
  readonly endpoint: Endpoint
  readonly context: RunContext
}

export function createEndpoint(
  { url, credentials }: Pick<RemoteImplementation, 'url' | 'credentials'>,
  invocation: Pick<Invocation, 'secrets' | 'tokens'>,
  context: Pick<RunContext, 'traceparent'>,
  initiator: GuardedRequest['initiator'],
) {
  const template = parseUrlTemplate(url)
  if ('problem' in template) throw new TypeError(`Cannot read the URL: ${template.problem}`)
  const placedCredentials = placeCredentials(credentials, template, invocation)
  if (placedCredentials.problems.length > 0) return requestBuildFailure(placedCredentials.problems)
  const target = new URL(url)
  if (placedCredentials.query.length > 0)
    target.search = [target.search.slice(1), ...placedCredentials.query].filter(Boolean).join('&')
  const headers = requestHeaders(context)
  for (const [name, value] of placedCredentials.headers) headers.set(name, value)
  const credentialHeaders = [...placedCredentials.headers.keys()]
  const { redact, carriesCredential } = placedCredentials
  return {
    ok: true as const,
    endpoint: { url: target, host: target.host, headers, credentialHeaders, initiator, redact, carriesCredential },
  }
}
