import { waitUntil } from 'cloudflare:workers'
import type { Result } from '../core/failure/failure.ts'
import { createRunTask } from '../core/task/run-task.ts'
import type { Principal } from '../core/access/principal.ts'
import type { StoredCall, TaskRun } from '../core/task/task-store.ts'
import { CALL_UNITS, createBudget } from '../core/tool/budget.ts'
import { createReturningPrincipal } from '../http/caller/returning-principal.ts'
import { narrowToView } from '../http/route/tool-view.ts'
import type { Deployment } from './deployment.ts'

/** Runs one task, for the Durable Object that has it. */
export async function runTask(run: TaskRun, { config, stores, authentication, calls }: Deployment): Promise<void> {
  const { now } = Date
  const findPrincipal = createReturningPrincipal({
    hasAdminKey: config.adminKey !== undefined,
    isOpen: config.access === 'open',
    findKey: stores.keys.findById,
    listAgents: stores.connect.list,
    loadPrincipal: authentication.sessions.loadPrincipal,
    findMembership: stores.access.findMembership,
    now,
  })
  await Promise.all([stores.registry.installBundle(), stores.registry.policies.ready(waitUntil)])
  const runTaskOnce = createRunTask({
    store: await stores.loadTasks(),
    authorizations: stores.vault,
    callTool: calls.callTool,
    async findPrincipal({ principal, requestUrl }: StoredCall['caller']): Promise<Result<Principal>> {
      const found = await findPrincipal(principal)
      if (!found.ok) return found
      return narrowToView(found.value, { url: requestUrl }, 'tools:call', waitUntil, stores.registry)
    },
    createAbort: () => new AbortController(),
    openCaller: () => ({ budget: createBudget(CALL_UNITS), background: waitUntil }),
    now,
  })
  await runTaskOnce(run)
}
