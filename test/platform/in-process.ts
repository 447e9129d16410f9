import { AsyncLocalStorage } from 'node:async_hooks'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { format } from 'node:util'
import { Request as MiniflareRequest } from 'miniflare'
import { vaultDeployment } from '../../src/compose/stores.ts'
import { ConfigError, type Env, loadConfig } from '../../src/env.ts'
import { createDispatcher } from '../../src/dispatcher.ts'
import * as worker from '../../src/index.ts'
import { defineTasks } from '../../src/storage/tasks/tasks-object.ts'
import { defineEvents } from '../../src/storage/events/events-object.ts'
import { defineVault } from '../../src/storage/vault/vault-object.ts'
import { sendJson } from '../e2e/json.ts'
import type { AppOptions, RunningServer } from '../e2e/server.ts'
import { build } from '../fixtures/generated/build.ts'
import { part } from '../simulation/part.ts'
import { createBucket } from './bucket.ts'
import { createKv } from './kv.ts'
import { serve } from './listen.ts'
import { createLoader } from './loader.ts'
import { createNamespace } from './objects.ts'

interface Surroundings {
  readonly outbound: AppOptions['outbound']
  /** Receives the lines of the Worker's log, but not what a test prints. */
  readonly log: (line: string) => void
}

const ASSETS = new URL('../../src/generated/assets/', import.meta.url)

const surroundings = new AsyncLocalStorage<Surroundings>()

/**
 * Starts the app in this process, behind HTTP on a loopback port, with in-memory Durable Objects, KV and bucket. Outgoing
 * requests go through Node, whose `fetch` adds its own headers.
 */
export async function startInProcess({
  vars,
  outbound,
  loader = true,
  bucket = true,
  broken,
}: AppOptions): Promise<RunningServer> {
  takeGlobals()
  let printed = ''
  const own: Surroundings = { log: (line) => void (printed += `${line}\n`), outbound }
  const inside = <T>(work: () => T): T => surroundings.run(own, work)

  const open: { close(): void }[] = []
  function namespaceOf<T extends Rpc.DurableObjectBranded>(
    name: AppOptions['broken'],
    Class: new (state: DurableObjectState, env: Env) => T,
  ) {
    const made = createNamespace<T>((state) => inside(() => (name === broken ? unreachable : new Class(state, env))))
    open.push(made)
    return made.namespace
  }
  const env: Env = Object.assign(
    {
      REGISTRY: createKv(),
      Registry: namespaceOf('Registry', worker.Registry),
      IdempotencyStore: namespaceOf('IdempotencyStore', worker.IdempotencyStore),
      // It reads its variables once per isolate
      Vault: namespaceOf(
        'Vault',
        defineVault((own: Env) => vaultDeployment(loadConfig(own), own.Vault)),
      ),
      Tasks: namespaceOf(
        'Tasks',
        defineTasks(Date.now, (_, task) => inside(() => app.runTask(task))),
      ),
      Access: namespaceOf('Access', worker.Access),
      Connect: namespaceOf('Connect', worker.Connect),
      Records: namespaceOf('Records', worker.Records),
      Events: namespaceOf(
        'Events',
        defineEvents((own: Env) => createDispatcher(own, loadConfig(own), build).loadEventDelivery(), Date.now),
      ),
      RATE_LIMIT: part<RateLimit>({ limit: async () => ({ success: true }) }),
      ASSETS: part<Fetcher>({
        fetch: async (url) => new Response(await readFile(new URL(basename(String(url)), ASSETS))),
      }),
    },
    loader ? { LOADER: createLoader((request, context) => inside(() => egress(request, context))) } : {},
    bucket ? { ARTIFACTS: createBucket() } : {},
    vars,
  )
  const app = frontOf(env)

  const behind = new Set<Promise<unknown>>()
  function waitUntil(work: Promise<unknown>): void {
    const settled = work.catch((error: unknown) => console.error(error)).finally(() => behind.delete(settled))
    behind.add(settled)
  }
  const context = { waitUntil, passThroughOnException: () => undefined, props: {} }
  const { url, stop } = await serve(inside, async (request) => app.fetch(request, env, context))
  return {
    url,
    persistTo: '',
    printed: () => printed,
    json: (method, path, body, headers) => sendJson(url, method, path, body, headers),
    async stop() {
      await stop()
      await Promise.all(behind)
      for (const each of open) each.close()
    },
  }
}

/** If the variables are invalid, returns the Worker's entry, which reports that on each request. */
function frontOf(env: Env) {
  try {
    return createDispatcher(env, loadConfig(env), build)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const { fetch } = worker.default
    return {
      runTask: async () => undefined,
      fetch: async (...given: readonly unknown[]): Promise<Response> => Reflect.apply(fetch, undefined, given),
    }
  }
}

const unreachable = new Proxy(Object.create(null), {
  get: () => async () => {
    throw new Error('This object cannot be reached')
  },
})

const egress = (request: Request, context: ExecutionContext): Promise<Response> =>
  new worker.Egress(context, {}).fetch(request)

const taken = new WeakSet<Console>()
let isFetchTaken = false

function takeGlobals(): void {
  if (!isFetchTaken) {
    isFetchTaken = true
    const { fetch } = globalThis
    globalThis.fetch = (input, init) => {
      const outbound = surroundings.getStore()?.outbound
      return outbound ? answered(outbound, new Request(input, init)) : fetch(input, init)
    }
  }
  // Each test file may have its own console
  if (taken.has(console)) return
  taken.add(console)
  for (const method of ['log', 'info', 'warn', 'error'] as const) {
    const print = console[method]
    console[method] = (...given: unknown[]) => (surroundings.getStore()?.log ?? print)(format(...given))
  }
}

async function answered(outbound: NonNullable<AppOptions['outbound']>, request: Request): Promise<Response> {
  const { url, method, body } = request
  const sent = body && (await request.arrayBuffer())
  const leaving = new MiniflareRequest(url, { method, headers: [...request.headers], body: sent })
  // It may call `fetch` itself, which must not be handled here again
  const response = await surroundings.exit(async () => outbound(leaving))
  const { status, statusText } = response
  const bytes = response.body && (await response.arrayBuffer())
  return new Response(bytes, { status, statusText, headers: [...response.headers] })
}
