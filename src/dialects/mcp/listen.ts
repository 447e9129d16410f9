/**
 * `subscriptions/listen` (MCP 2026-07-28): a stream of change notifications. It starts with
 * `notifications/subscriptions/acknowledged`, which lists what is watched, and ends with the request's result: after
 * `LISTEN_MS`, when the caller loses access, or at once if nothing requested can be watched. Nothing is stored: each stream
 * checks every `POLL_MS` whether the caller still has access, and what has changed.
 */
import type { Catalog } from '../../core/catalog/catalog.ts'
import { findScopeDenial } from '../../core/access/principal.ts'
import { catchUnreachable } from '../../core/failure/failure.ts'
import { isJsonObject, type JsonObject } from '../../core/tool/json.ts'
import { requestMemory } from '../../http/request/request-memory.ts'
import { createEventStream } from '../../http/response/event-stream.ts'
import { PRIVATE } from '../../http/response/json-response.ts'
import type { DispatchDeps } from './dispatch.ts'
import type { ServerNotification, Watch } from './extensions/extension.ts'
import { toMcpError } from './failure-response.ts'
import { createMessageEvent, type McpExchange } from './tools-call.ts'
import { handleToolsList } from './tools-list.ts'
import { declares, formatResponse, invalid, type McpError, type MessageId } from './wire.ts'

const POLL_MS = 3_000
const LISTEN_MS = 600_000
/** Per account in one isolate. A client needs one. */
const MAX_STREAMS = 10
const SUBSCRIPTION_KEY = 'io.modelcontextprotocol/subscriptionId'

/** The account of each open stream. */
const openStreams: string[] = []

/** Returns the stream, or an error. */
export async function listen(
  id: MessageId,
  params: JsonObject,
  exchange: McpExchange,
  { catalog, extensions }: Pick<DispatchDeps, 'catalog' | 'extensions'>,
): Promise<Response | McpError> {
  const { context, revision } = exchange
  const { notifications } = params
  if (!isJsonObject(notifications)) return invalid("'notifications' must be an object that names what to listen for")
  const declared = extensions.filter(({ id }) => id === undefined || declares(context.capabilities, id))
  const watches = await Promise.all([
    watchTools(notifications, exchange, catalog),
    ...declared.map(({ watch }) => watch?.(notifications, exchange)),
  ])
  const account = context.principal.id
  if (openStreams.filter((other) => other === account).length >= MAX_STREAMS)
    return toMcpError({ type: 'rate-limited', retry_after_ms: LISTEN_MS })
  openStreams.push(account)
  const watched = watches.filter((watch) => watch !== undefined)
  const meta = { [SUBSCRIPTION_KEY]: typeof id === 'bigint' ? String(id) : id }
  const stream = createEventStream(context.request.signal)
  const notify = ({ method, params }: ServerNotification) =>
    stream.send(createMessageEvent(JSON.stringify({ jsonrpc: '2.0', method, params: { ...params, _meta: meta } })))

  const disconnection = new Promise((done) => stream.signal.addEventListener('abort', done))

  async function poll(): Promise<void> {
    const endsAt = Date.now() + LISTEN_MS
    let current = exchange
    while (watched.length > 0 && Date.now() < endsAt) {
      // A client that disconnected gives up its slot at once
      await Promise.race([disconnection, new Promise((done) => setTimeout(done, POLL_MS))])
      if (stream.signal.aborted) return
      if (!stream.isDrained()) continue
      const caller = await context.authorize()
      if (caller.ok) current = { revision, context: { ...context, principal: caller.value } }
      else if (!canWait(caller.failure.type)) return
      for (const watch of watched) {
        const changes = await catchUnreachable(watch.poll(current))
        if (changes.ok) changes.value.forEach(notify)
      }
    }
  }

  const acceptedNotifications: JsonObject = Object.assign({}, ...watched.map((watch) => watch.accepted))
  notify({ method: 'notifications/subscriptions/acknowledged', params: { notifications: acceptedNotifications } })
  const end = () => {
    openStreams.splice(openStreams.indexOf(account), 1)
    stream.end([createMessageEvent(formatResponse(id, revision.createResult({}, meta)))])
  }
  context.background(poll().finally(end))
  return stream.response(PRIVATE)
}

const canWait = (type: string) => type === 'rate-limited' || type === 'unavailable'

/** Reports a change only if the caller's own list has changed, so hidden tools stay hidden. */
async function watchTools(
  { toolsListChanged }: JsonObject,
  exchange: McpExchange,
  catalog: Catalog,
): Promise<Watch | undefined> {
  if (toolsListChanged !== true || findScopeDenial(exchange.context.principal, 'tools:read')) return undefined
  let state: string | undefined
  let digest: string | undefined
  async function poll(current: McpExchange): Promise<readonly ServerNotification[]> {
    const { scopes, tools, restrictedTo, view } = current.context.principal
    const newState = JSON.stringify([await catalog.etag(), scopes, tools, restrictedTo, view?.key])
    if (newState === state) return []
    const newDigest = await digestList(current, catalog)
    const isChanged = digest !== undefined && digest !== newDigest
    state = newState
    digest = newDigest
    return isChanged ? [{ method: 'notifications/tools/list_changed', params: {} }] : []
  }
  await poll(exchange)
  return { accepted: { toolsListChanged: true }, poll }
}

/** Covers only the first page, which is all that most clients read. */
async function digestList({ revision, context }: McpExchange, catalog: Catalog): Promise<string> {
  const memory = requestMemory.open(context)
  try {
    const list = await handleToolsList({}, revision, { ...context, memory }, catalog)
    const text = new TextEncoder().encode(list.kind === 'tool-list' ? list.json : list.kind)
    return String(new Uint8Array(await crypto.subtle.digest('SHA-256', text)))
  } finally {
    memory.untilRead(new Response(null))
    memory.release()
  }
}
