/**
 * One session with an MCP server, for one call or list. No connection outlives its request.
 *
 * 1. Where the server's revision is known from before, the session begins with it. If the server refuses that without having
 *    run anything, the revision is forgotten.
 * 2. Otherwise `server/discover` finds the revision. Whatever that fails with, but for a failure to reach the server that
 *    would come again, `initialize` is tried (MCP 2026-07-28, "Backward Compatibility").
 * 3. Once connected, the revision is remembered and the work runs.
 * 4. The session is closed, behind the response where the platform allows.
 */
import type { Client, PriorDiscovery } from '@modelcontextprotocol/client'
import { version } from '../../../../package.json'
import type { RequestBudget } from '../../../core/tool/budget.ts'
import type { Signal } from '../../../core/tool/platform.ts'
import { raceAbort } from '../../../outbound/until-aborted.ts'
import type { Endpoint, RemoteDeps } from '../endpoint.ts'
import type { UpstreamTransport } from './client.ts'
import { toUpstreamFailure, wasNotExecuted } from './errors.ts'
import { modernPrior } from './known-revisions.ts'
import { createSessionFetch, type SessionLimits } from './session-fetch.ts'

interface SessionOptions extends SessionLimits {
  readonly endpoint: Endpoint
  readonly timeoutMs: number
  readonly signal: Signal
  readonly meter: RequestBudget
  readonly canAsk: boolean
  readonly background?: ((work: Promise<unknown>) => void) | undefined
  readonly onMessage?: (message: unknown) => void
}

type Work<T> = (client: Client, waiting: Waiting) => Promise<T>

interface Waiting {
  readonly signal: Signal
  readonly timeout: number
}

const CLOSING_MS = 3_000
/** For `server/discover`, which older servers may leave unanswered. */
const PROBE_MS = 5_000
/** Of failures to reach a server: it would be the same for `initialize`. */
const FINAL: ReadonlySet<unknown> = new Set(['refused', 'too-large', 'too-many-redirects'])
/** Added to the client's own timer, so that the call's deadline always comes first. */
const GRACE_MS = 10_000

/** Never rejects: a failure is in the result. */
export async function withSession<T>(options: SessionOptions, deps: RemoteDeps, work: Work<T>) {
  const { endpoint, signal } = options
  const { href } = endpoint.url
  let discovery = deps.revisions.get(href)
  let session = await openSession(options, deps, discovery, work)
  if (!session.ok && discovery && !session.failures.unanswered && !signal.aborted && wasNotExecuted(session.error)) {
    deps.revisions.delete(href)
    discovery = undefined
    session = await openSession(options, deps, discovery, work)
  }
  if (!session.ok && !discovery && session.isUndecided && !signal.aborted) {
    const legacy = await openSession(options, deps, { kind: 'legacy' }, work)
    // A server of 2026-07-28 alone refuses that: then the first failure counts
    if (legacy.ok || !wasNotExecuted(legacy.error)) session = legacy
  }
  if (session.ok) return session
  const failed = toUpstreamFailure(session.error, session.failures, endpoint, deps.now())
  return { ok: false as const, failed: session.hadBegun ? failed : { ...failed, isUncertain: false } }
}

async function openSession<T>(
  options: SessionOptions,
  { guardedStream, revisions, newId }: RemoteDeps,
  discovery: PriorDiscovery | undefined,
  work: Work<T>,
) {
  const { endpoint, signal, timeoutMs, background } = options
  const { Client, normalizeMessages, UpstreamTransport } = await import('./client.ts')
  const waiting: Waiting = { signal, timeout: timeoutMs + GRACE_MS }
  const tag = `${newId()} `
  const session = createSessionFetch(guardedStream, endpoint, options)
  const fetch = async (url: string | URL, init?: RequestInit) => normalizeMessages(await session.fetch(url, init), tag)
  const transportOptions = { fetch, requestInit: { headers: endpoint.headers } }
  const transport = new UpstreamTransport(endpoint.url, transportOptions, tag)
  transport.isStreaming = session.isStreaming
  if (options.onMessage) transport.onmessage = options.onMessage
  const client = new Client(
    { name: 'switchboard', version },
    {
      capabilities: options.canAsk ? { elicitation: { form: {}, url: {} } } : {},
      versionNegotiation: { mode: 'auto', probe: { timeoutMs: Math.min(PROBE_MS, timeoutMs / 3) } },
      inputRequired: { autoFulfill: false },
    },
  )
  client.onerror = ignore
  const { promise: closed, resolve: close } = Promise.withResolvers<void>()
  background?.(closed)
  let connected = false
  const run = async () => {
    await client.connect(transport, discovery ? { ...waiting, prior: discovery } : waiting)
    connected = true
    const version = client.getNegotiatedProtocolVersion()
    if (version !== undefined) {
      const isModern = client.getProtocolEra() === 'modern'
      revisions.set(endpoint.url.href, isModern ? modernPrior(version) : { kind: 'legacy' })
    }
    return work(client, waiting)
  }
  const done = await raceAbort(run, signal)
  // Before the end, in which something may fail too
  const failures = session.failures()
  const closing = end(client, transport, connected).then(close)
  if (!background) await closing
  if (done.state === 'done') return { ok: true as const, value: done.value }
  const error = done.state === 'failed' ? done.error : new Error('The call has ended')
  const isUndecided = !connected && !transport.hasInitialized && !FINAL.has(failures.unanswered?.kind)
  return { ok: false as const, error, failures, hadBegun: connected, isUndecided }
}

/** Never rejects. */
async function end(client: Client, transport: UpstreamTransport, connected: boolean): Promise<void> {
  const inTime = AbortSignal.timeout(CLOSING_MS)
  if (connected) {
    await raceAbort(() => transport.sent(), inTime)
    await raceAbort(() => transport.terminateSession(), inTime)
  }
  await transport.close().catch(ignore)
  await client.close().catch(ignore)
}

function ignore(): void {}
