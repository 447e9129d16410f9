import { exports, WorkerEntrypoint } from 'cloudflare:workers'
import { Access } from './storage/access/access-object.ts'
import { Connect } from './storage/connect/connect-object.ts'
import { defineEvents } from './storage/events/events-object.ts'
import { defineIdempotencyStore } from './storage/idempotency/idempotency-store-object.ts'
import { Records } from './storage/records/records-object.ts'
import { defineRegistry } from './storage/registry/registry-object.ts'
import { defineTasks } from './storage/tasks/tasks-object.ts'
import { defineVault } from './storage/vault/vault-object.ts'
import { createDispatcher } from './dispatcher.ts'
import type { DueTask } from './core/task/task.ts'
import { ConfigError, type Env, loadConfig } from './env.ts'
import { toListLine as writeLine } from './dialects/oxp/encode.ts'
import { vaultDeployment } from './compose/stores.ts'
import { respondOxpFailure } from './dialects/oxp/routes.ts'
import { build } from './generated/build.ts'
import { outboundOptions, sandboxPolicies } from './compose/platform.ts'
import { defineEgress, defineSandboxEgress } from './runners/sandbox/egress-entrypoint.ts'

export const Registry = defineRegistry(writeLine, (env: Env) => loadConfig(env).quota)
export const Vault = defineVault((env: Env) => vaultDeployment(loadConfig(env), env.Vault))
export const Events = defineEvents((env: Env) => openDispatcher(env).loadEventDelivery(), Date.now)
export const IdempotencyStore = defineIdempotencyStore<Env>(Date.now)
export const Tasks = defineTasks<Env>(Date.now, (_, task) => exports.TaskRunner.run(task))
export const Egress = defineEgress(outboundOptions)
export const SandboxEgress = defineSandboxEgress(sandboxPolicies)
export { Access, Connect, Records }

declare global {
  namespace Cloudflare {
    /** Types the exports of this Worker in the `exports` of `cloudflare:workers`. */
    interface GlobalProps {
      mainModule: { Egress: typeof Egress; TaskRunner: typeof TaskRunner }
    }
  }
}

/** Must match `wrangler.toml`. */
const EVERY_MINUTE = '* * * * *'

let dispatcher: ReturnType<typeof createDispatcher> | undefined
const openDispatcher = (env: Env) => (dispatcher ??= createDispatcher(env, loadConfig(env), build))

/** Runs each task of a Durable Object in a separate invocation. */
export class TaskRunner extends WorkerEntrypoint<Env> {
  async run(task: DueTask): Promise<void> {
    await openDispatcher(this.env).runTask(task)
  }
}

export default {
  fetch(request, env, context) {
    try {
      openDispatcher(env)
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      console.error(`Cannot start: ${error.message}`)
      return respondOxpFailure({
        type: 'unavailable',
        message: `This Switchboard is not set up correctly: ${error.message}`,
      })
    }
    return openDispatcher(env).fetch(request, env, context)
  },
  async scheduled({ cron }, env) {
    const { runEventSources, runSchedule } = openDispatcher(env)
    await (cron === EVERY_MINUTE ? runEventSources() : runSchedule())
  },
} satisfies ExportedHandler<Env>
