import { AsyncLocalStorage } from 'node:async_hooks'
import { format } from 'node:util'
import { createFront } from '../../src/front.ts'
import { type Env, loadConfig } from '../../src/env.ts'
import * as worker from '../../src/index.ts'
import { sendJson } from '../e2e/json.ts'
import type { RunningServer } from '../e2e/server.ts'
import { build } from '../fixtures/generated/build.ts'
import { part } from '../simulation/part.ts'
import { createKv } from './kv.ts'
import { serve } from './listen.ts'
import { createNamespace } from './objects.ts'

/** Takes what the Worker writes to its log, apart from what a test prints. */
const logs = new AsyncLocalStorage<(line: string) => void>()

/**
 * Starts the app in this process, behind HTTP at a loopback port: over Durable Objects and a KV in memory, without sandboxes
 * and without a bucket. Requests leave it through Node, whose `fetch` adds headers of its own.
 */
export async function startInProcess(vars: Readonly<Record<string, unknown>>): Promise<RunningServer> {
  takeLogs()
  let printed = ''
  const inLog = <T>(work: () => T): T => logs.run((line) => void (printed += `${line}\n`), work)

  const open: { close(): void }[] = []
  function namespaceOf<T extends Rpc.DurableObjectBranded>(Class: new (state: DurableObjectState, env: Env) => T) {
    const made = createNamespace<T>((state) => inLog(() => new Class(state, env)))
    open.push(made)
    return made.namespace
  }
  const env: Env = Object.assign(
    {
      REGISTRY: createKv(),
      Registry: namespaceOf(worker.Registry),
      Ledger: namespaceOf(worker.Ledger),
      Vault: namespaceOf(worker.Vault),
      Access: namespaceOf(worker.Access),
      Connect: namespaceOf(worker.Connect),
      Records: namespaceOf(worker.Records),
      RATE_LIMIT: part<RateLimit>({ limit: async () => ({ success: true }) }),
    },
    vars,
  )
  const app = createFront(env, loadConfig(env), build)

  const behind = new Set<Promise<unknown>>()
  function waitUntil(work: Promise<unknown>): void {
    const settled = work.catch((error: unknown) => console.error(error)).finally(() => behind.delete(settled))
    behind.add(settled)
  }
  const context = { waitUntil, passThroughOnException: () => undefined, props: {} }
  const { url, stop } = await serve((request) => inLog(async () => app.fetch(request, env, context)))
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

const taken = new WeakSet<Console>()

function takeLogs(): void {
  // Each file of tests may have a console of its own
  if (taken.has(console)) return
  taken.add(console)
  for (const method of ['log', 'info', 'warn', 'error'] as const) {
    const print = console[method]
    console[method] = (...given: unknown[]) => (logs.getStore() ?? print)(format(...given))
  }
}
