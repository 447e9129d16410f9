import { waitUntil } from 'cloudflare:workers'
import type { Result } from '../core/failure/failure.ts'
import { createRunTask } from '../core/task/run-task.ts'
import type { Principal } from '../core/access/principal.ts'
import type { StoredCall, DueTask } from '../core/task/task-store.ts'
import { CALL_UNITS, createBudget } from '../core/tool/budget.ts'
import { isolateMemory } from '../outbound/memory-budget.ts'
import { narrowToView } from '../http/route/tool-view.ts'
import type { Deployment } from './deployment.ts'
import { composeReturningPrincipal } from './returning-principal.ts'
import { openTaskStore } from './tasks.ts'

const inputs = isolateMemory.createBudget({
  name: 'tasks',
  size: 36_000_000,
  share: 18_000_000,
  idleMs: 330_000,
  waitMs: 15_000,
})

/** Runs one task, for the Durable Object that has it. */
export async function runTask(run: DueTask, deployment: Deployment): Promise<void> {
  const { stores, calls } = deployment
  const { now } = Date
  const findPrincipal = composeReturningPrincipal(deployment)
  await Promise.all([stores.registry.installBundle(), stores.registry.policies.ready(waitUntil)])
  const runTaskOnce = createRunTask({
    store: openTaskStore(deployment),
    authorizations: stores.vault,
    callTool: calls.callTool,
    async findPrincipal({ principal, requestUrl }: StoredCall['caller']): Promise<Result<Principal>> {
      const found = await findPrincipal(principal)
      if (!found.ok) return found
      return narrowToView(found.value, { url: requestUrl }, 'tools:call', waitUntil, stores.registry)
    },
    createAbort: () => new AbortController(),
    openCaller: () => ({ budget: createBudget(CALL_UNITS), background: waitUntil }),
    async holdMemory(account, bytes) {
      const reservation = inputs.reserve(account)
      return (await reservation.grow(bytes)) ? reservation.release : undefined
    },
    now,
  })
  await runTaskOnce(run)
}
