import type { Client, DiscoverResult, PriorDiscovery } from '@modelcontextprotocol/client'
import { version } from '../../../../package.json'
import type { Signal } from '../../../core/tool/platform.ts'
import type { GuardedStream } from '../../../outbound/guarded-stream.ts'
import { untilAborted } from '../../../outbound/until-aborted.ts'
import type { Endpoint } from '../endpoint.ts'
import type { UpstreamTransport } from './client.ts'
import type { KnownRevisions, SpokenRevision } from './known-revisions.ts'
import { wasNotRun } from './errors.ts'
import { createSessionFetch, type TransportFailures } from './session-fetch.ts'

/** What sessions of one deployment share. */
export interface SessionDeps {
  readonly guardedStream: GuardedStream
  readonly revisions: KnownRevisions
}

export interface SessionOptions {
  readonly endpoint: Endpoint
  readonly maxBytes: number
  readonly timeoutMs: number
  readonly signal: Signal
  /** Whether the server may ask whoever calls to fill in a form, or to open a URL. */
  readonly canAsk: boolean
  /** Keeps work alive that goes on behind the answer. */
  readonly background?: ((work: Promise<unknown>) => void) | undefined
  /** Told of every message before the client looks at it. */
  readonly onMessage?: (message: unknown) => void
}

/** What a session came to; `failures` are those below the protocol. */
export type Session<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: unknown; readonly failures: TransportFailures }

/** What a session is for; every request it makes is given `waiting`. */
export type Work<T> = (client: Client, waiting: Waiting) => Promise<T>

interface Waiting {
  readonly signal: Signal
  /** Milliseconds. */
  readonly timeout: number
}

/** How long the end of a session may take: telling the server that a call is cancelled, and that the session is over. */
const CLOSING_MS = 3_000
/** Added to the client's own timer, so that the call's deadline always comes first. */
const GRACE_MS = 10_000

/**
 * Connects to an MCP server of any revision, does the work, and closes: nothing of a connection outlives the request it
 * was made for. A server that no longer speaks what it spoke is asked what it does, and the work begins again.
 */
export async function withSession<T>(options: SessionOptions, deps: SessionDeps, work: Work<T>): Promise<Session<T>> {
  const { href } = options.endpoint.url
  const known = deps.revisions.of(href)
  const first = await openSession(options, deps, known, work)
  if (first.ok || known === undefined || first.failures.unanswered || options.signal.aborted) return first
  if (!wasNotRun(first.error)) return first
  deps.revisions.forget(href)
  return openSession(options, deps, undefined, work)
}

async function openSession<T>(
  options: SessionOptions,
  { guardedStream, revisions }: SessionDeps,
  known: SpokenRevision | undefined,
  work: Work<T>,
): Promise<Session<T>> {
  const { endpoint, signal, timeoutMs, background } = options
  const { Client, UpstreamTransport } = await import('./client.ts')
  const waiting: Waiting = { signal, timeout: timeoutMs + GRACE_MS }
  const session = createSessionFetch({ guardedStream, endpoint, maxBytes: options.maxBytes })
  const transport = new UpstreamTransport(endpoint.url, {
    fetch: session.fetch,
    requestInit: { headers: endpoint.headers },
  })
  if (options.onMessage) transport.onmessage = options.onMessage
  const client = new Client(
    { name: 'switchboard', version },
    {
      capabilities: options.canAsk ? { elicitation: { form: {}, url: {} } } : {},
      versionNegotiation: { mode: 'auto', probe: { timeoutMs: waiting.timeout } },
      inputRequired: { autoFulfill: false },
    },
  )
  client.onerror = ignore
  const { promise: closed, resolve: close } = Promise.withResolvers<void>()
  background?.(closed)
  let connected = false
  const run = async () => {
    await client.connect(transport, known ? { ...waiting, prior: priorOf(known) } : waiting)
    connected = true
    learn(client, endpoint.url.href, revisions)
    return work(client, waiting)
  }
  const done = await untilAborted(run, signal)
  // Before the end, in which something may fail too
  const failures = session.failures()
  const ended = end(client, transport, connected).then(close)
  if (!background) await ended
  if (done.state === 'done') return { ok: true, value: done.value }
  return { ok: false, error: done.state === 'failed' ? done.error : new Error('The call has ended'), failures }
}

/** What the SDK is told, so that it need not ask the server. */
function priorOf(revision: SpokenRevision): PriorDiscovery {
  if (revision.kind === 'legacy') return revision
  const discover: DiscoverResult = {
    supportedVersions: [revision.version],
    capabilities: { tools: {} },
    ttlMs: 0,
    cacheScope: 'private',
  }
  return { kind: 'modern', discover }
}

function learn(client: Client, url: string, revisions: KnownRevisions): void {
  const negotiated = client.getNegotiatedProtocolVersion()
  if (negotiated === undefined) return
  const isModern = client.getProtocolEra() === 'modern'
  revisions.learn(url, isModern ? { kind: 'modern', version: negotiated } : { kind: 'legacy' })
}

/** Lets the server know, where it wants to, and closes what is still open. Never rejects. */
async function end(client: Client, transport: UpstreamTransport, connected: boolean): Promise<void> {
  const inTime = AbortSignal.timeout(CLOSING_MS)
  if (connected) {
    await untilAborted(() => transport.sent(), inTime)
    await untilAborted(() => transport.terminateSession(), inTime)
  }
  await transport.close().catch(ignore)
  await client.close().catch(ignore)
}

/** What goes wrong in a session is told by what it comes to. */
function ignore(): void {}
