import type { Client, DiscoverResult, PriorDiscovery } from '@modelcontextprotocol/client'
import { version } from '../../../../package.json'
import type { Signal } from '../../../core/tool/platform.ts'
import type { GuardedStream } from '../../../outbound/guarded-stream.ts'
import { untilAborted } from '../../../outbound/until-aborted.ts'
import type { Endpoint } from '../endpoint.ts'
import type { UpstreamTransport } from './client.ts'
import type { Era, Eras } from './eras.ts'
import { wasNotRun } from './errors.ts'
import { createLane, type Troubles } from './lane.ts'

/** What sessions of one deployment share. */
export interface SessionDeps {
  readonly guardedStream: GuardedStream
  readonly eras: Eras
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

/** What a session came to; `troubles` are those below the protocol. */
export type Session<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: unknown; readonly troubles: Troubles }

/** What a session is for; every request it makes is given `waiting`. */
export type Work<T> = (client: Client, waiting: Waiting) => Promise<T>

interface Waiting {
  readonly signal: Signal
  /** Milliseconds. */
  readonly timeout: number
}

/** How long the end of a session may take: telling the server that a call is cancelled, and that the session is over. */
const CLOSING_MS = 3_000
/** The client's own timer only ever comes after the call's deadline. */
const GRACE_MS = 10_000

/**
 * Connects to an MCP server of either era, does the work, and closes: nothing of a connection outlives the request it was
 * made for. A server that turns out to be of another era than it was is asked which it is, and the work begins again.
 */
export async function withSession<T>(options: SessionOptions, deps: SessionDeps, work: Work<T>): Promise<Session<T>> {
  const { href } = options.endpoint.url
  const known = deps.eras.of(href)
  const first = await attempt(options, deps, known, work)
  if (first.ok || known === undefined || first.troubles.fault || options.signal.aborted) return first
  if (!wasNotRun(first.error)) return first
  deps.eras.forget(href)
  return attempt(options, deps, undefined, work)
}

async function attempt<T>(
  options: SessionOptions,
  { guardedStream, eras }: SessionDeps,
  known: Era | undefined,
  work: Work<T>,
): Promise<Session<T>> {
  const { endpoint, signal, timeoutMs, background } = options
  const { Client, UpstreamTransport } = await import('./client.ts')
  const waiting: Waiting = { signal, timeout: timeoutMs + GRACE_MS }
  const lane = createLane({ guardedStream, endpoint, maxBytes: options.maxBytes })
  const transport = new UpstreamTransport(endpoint.url, {
    fetch: lane.fetch,
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
    learn(client, endpoint.url.href, eras)
    return work(client, waiting)
  }
  const done = await untilAborted(run, signal)
  // Before the end, which may have troubles of its own
  const troubles = lane.troubles()
  const ended = end(client, transport, connected).then(close)
  if (!background) await ended
  if (done.state === 'done') return { ok: true, value: done.value }
  return { ok: false, error: done.state === 'failed' ? done.error : new Error('The call has ended'), troubles }
}

/** What the SDK wants to be told in the place of asking the server. */
function priorOf(era: Era): PriorDiscovery {
  if (era.kind === 'legacy') return era
  const discover: DiscoverResult = {
    supportedVersions: [era.version],
    capabilities: { tools: {} },
    ttlMs: 0,
    cacheScope: 'private',
  }
  return { kind: 'modern', discover }
}

function learn(client: Client, url: string, eras: Eras): void {
  const negotiated = client.getNegotiatedProtocolVersion()
  if (negotiated === undefined) return
  eras.learn(url, client.getProtocolEra() === 'modern' ? { kind: 'modern', version: negotiated } : { kind: 'legacy' })
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
