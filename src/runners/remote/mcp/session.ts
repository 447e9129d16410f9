/**
 * One session with an MCP server, for one call or one list. No connection outlives its request.
 *
 * 1. If the server's revision is known, the session begins with that revision. If the server refuses it and has run nothing,
 *    the revision is forgotten (`refusesRevision`), and step 2 follows.
 * 2. If the revision is not known, the SDK asks for it with `server/discover`. Servers before 2026-07-28 need `initialize` (MCP
 *    2026-07-28, "Backward Compatibility"), which the SDK sends itself if the server answers with a JSON-RPC error, or with
 *    a status from 400 to 499 other than 401 and 403.
 * 3. If the server answers otherwise or not at all, a second session begins with `initialize` (`mayTryLegacy`).
 * 4. Once connected, the revision is remembered and the work runs.
 * 5. The session is closed, after the response if the platform allows.
 */
import type { Client, PriorDiscovery } from '@modelcontextprotocol/client'
import { version } from '../../../../package.json'
import { PAGE_TYPE } from '../../../core/page/page.ts'
import type { Signal } from '../../../core/tool/platform.ts'
import { raceAbort } from '../../../outbound/until-aborted.ts'
import type { Endpoint, RemoteDeps } from '../endpoint.ts'
import type { UpstreamTransport } from './client.ts'
import { toUpstreamFailure, provesNotRun } from './errors.ts'
import { announcesTasks, modernPrior, TASKS } from './known-revisions.ts'
import { createSessionFetch, type SessionLimits, type TransportFailures } from './session-fetch.ts'

interface SessionOptions extends SessionLimits {
  readonly endpoint: Endpoint
  readonly timeoutMs: number
  readonly signal: Signal
  /** Whether the server may ask a person for input. */
  readonly canAsk: boolean
  readonly background?: ((work: Promise<unknown>) => void) | undefined
  /** May change a result before the SDK reads it. */
  readonly onResult?: (result: Record<string, unknown>) => void
}

type ClientModule = typeof import('./client.ts')

type Work<T> = (client: Client, waiting: SessionWait) => Promise<T>

export interface SessionWait {
  readonly signal: Signal
  readonly timeout: number
}

type Session<T> = { readonly ok: true; readonly value: T } | FailedSession

interface FailedSession {
  readonly ok: false
  readonly error: unknown
  readonly failures: TransportFailures
  readonly hasConnected: boolean
  readonly hasSentInitialize: boolean
}

/** Some servers name their tools' pages only to clients that show them (MCP Apps). */
const EXTENSIONS = { 'io.modelcontextprotocol/ui': { mimeTypes: [PAGE_TYPE] }, [TASKS]: {} }

const CLOSING_MS = 3_000
/** The time for `server/discover`, which older servers may leave unanswered, but at most a third of the call's time. */
const PROBE_MS = 5_000
/** Failures that would recur with `initialize`. Not `unreachable`: a server may close the connection instead of an answer. */
const LASTING_FAILURES: ReadonlySet<unknown> = new Set([
  'refused',
  'too-large',
  'too-many-redirects',
  'failing',
  'busy',
])
/** Added to the client's own timer, so that the call's deadline always comes first. */
const GRACE_MS = 10_000

/** Never rejects: a failure is in the result. */
export async function withSession<T>(options: SessionOptions, deps: RemoteDeps, work: Work<T>) {
  const { endpoint, signal } = options
  const { href } = endpoint.url
  const run = (revision: PriorDiscovery | undefined) => runSession(options, deps, revision, work)
  let revision = deps.revisions.get(href)
  let session = await run(revision)
  if (revision && refusesRevision(session, signal)) {
    deps.revisions.delete(href)
    revision = undefined
    session = await run(undefined)
  }
  if (!revision && mayTryLegacy(session, signal)) {
    const legacySession = await run({ kind: 'legacy' })
    // If the server refuses `initialize` too, only the first failure says why
    if (legacySession.ok || !provesNotRun(legacySession.error)) session = legacySession
  }
  if (session.ok) return session
  const failed = toUpstreamFailure(session.error, session.failures, endpoint, deps.now())
  return { ok: false as const, failed: session.hasConnected ? failed : { ...failed, isUncertain: false } }
}

/** Checks whether the server's answer shows that nothing was run. */
function refusesRevision<T>(session: Session<T>, signal: Signal): boolean {
  return !session.ok && !session.failures.lost && !signal.aborted && provesNotRun(session.error)
}

/** Checks that the session ended before the SDK sent `initialize`, and not for a reason that would end the next one too. */
function mayTryLegacy<T>(session: Session<T>, signal: Signal): boolean {
  if (session.ok || signal.aborted || session.hasConnected || session.hasSentInitialize) return false
  return !LASTING_FAILURES.has(session.failures.lost?.kind)
}

async function runSession<T>(
  options: SessionOptions,
  { guardedStream, revisions, newId }: RemoteDeps,
  revision: PriorDiscovery | undefined,
  work: Work<T>,
): Promise<Session<T>> {
  const { endpoint, signal, timeoutMs, background } = options
  const sdk = await import('./client.ts')
  const sessionFetch = createSessionFetch(guardedStream, endpoint, options)
  const transport = createTransport(sdk, endpoint, sessionFetch, newId())
  // The client calls this handler before its own
  transport.onmessage = (message) => {
    if ('result' in message) options.onResult?.(message.result)
  }
  const client = createClient(sdk, options)
  const waiting: SessionWait = { signal, timeout: timeoutMs + GRACE_MS }
  const { promise: closed, resolve: close } = Promise.withResolvers<void>()
  background?.(closed)
  let hasConnected = false
  const connectAndWork = async () => {
    await client.connect(transport, revision ? { ...waiting, prior: revision } : waiting)
    hasConnected = true
    const version = client.getNegotiatedProtocolVersion()
    if (version !== undefined) {
      const isModern = client.getProtocolEra() === 'modern'
      revisions.set(endpoint.url.href, isModern ? modernPrior(version, announcesTasks(client)) : { kind: 'legacy' })
    }
    return work(client, waiting)
  }
  const workResult = await raceAbort(connectAndWork, signal)
  // Read before the session is closed, because closing may fail too
  const failures = sessionFetch.failures()
  const closing = closeSession(client, transport, hasConnected).then(close)
  if (!background) await closing
  if (workResult.state === 'done') return { ok: true, value: workResult.value }
  const error = workResult.state === 'failed' ? workResult.error : new Error('The call has ended')
  const { hasSentInitialize } = transport
  return { ok: false, error, failures, hasConnected, hasSentInitialize }
}

/** `id` marks big integers between the fetch and the transport. No server can guess it. */
function createTransport(
  { UpstreamTransport, normalizeMessages }: ClientModule,
  { url, headers }: Endpoint,
  sessionFetch: ReturnType<typeof createSessionFetch>,
  id: string,
): UpstreamTransport {
  const integerTag = `${id} `
  const fetch = async (target: string | URL, init?: RequestInit) =>
    normalizeMessages(await sessionFetch.fetch(target, init), integerTag)
  const { isStreaming } = sessionFetch
  return new UpstreamTransport(url, { fetch, requestInit: { headers }, integerTag, isStreaming })
}

function createClient({ Client: SdkClient }: ClientModule, { canAsk, timeoutMs }: SessionOptions): Client {
  const client = new SdkClient(
    { name: 'switchboard', version },
    {
      capabilities: { extensions: EXTENSIONS, ...(canAsk ? { elicitation: { form: {}, url: {} } } : {}) },
      versionNegotiation: { mode: 'auto', probe: { timeoutMs: Math.min(PROBE_MS, timeoutMs / 3) } },
      inputRequired: { autoFulfill: false },
    },
  )
  client.onerror = ignore
  return client
}

/** Never rejects. */
async function closeSession(client: Client, transport: UpstreamTransport, hasConnected: boolean): Promise<void> {
  const deadline = AbortSignal.timeout(CLOSING_MS)
  if (hasConnected) {
    await raceAbort(() => transport.waitForNotifications(), deadline)
    await raceAbort(() => transport.terminateSession(), deadline)
  }
  await transport.close().catch(ignore)
  await client.close().catch(ignore)
}

function ignore(): void {}
