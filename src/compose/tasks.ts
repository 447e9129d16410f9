import { waitUntil } from 'cloudflare:workers'
import { createRunTask } from '../core/task/run-task.ts'
import type { DueTask, TaskStore } from '../core/task/task.ts'
import { createTasks, type TaskManager } from '../core/task/tasks.ts'
import { CALL_UNITS, createBudget } from '../core/tool/budget.ts'
import { createReloadPrincipal } from '../http/caller/reload-principal.ts'
import { narrowToView } from '../http/route/tool-view.ts'
import { createKeyring } from '../storage/sealing/keyring.ts'
import { createTaskStore } from '../storage/tasks/task-store.ts'
import type { Deployment } from './deployment.ts'
import { holdTexts, sleep, startDeadline } from './platform.ts'

export function openTasks(deployment: Pick<Deployment, 'config' | 'stores' | 'calls'>): TaskManager {
  return createTasks({
    ...deployment.calls,
    startDeadline,
    store: openTaskStore(deployment),
    storesCredentials: deployment.config.vaultKeys.length > 0,
    clock: { now: Date.now, sleep },
  })
}

/** Runs one task for its Durable Object. */
export async function runTask(task: DueTask, deployment: Deployment): Promise<void> {
  const { stores, calls } = deployment
  const { registry, vault } = stores
  const findPrincipal = createReloadPrincipal(deployment)
  await Promise.all([registry.installBundle(), registry.policies.ready(waitUntil)])
  await createRunTask({
    store: openTaskStore(deployment),
    authorizations: vault,
    callTool: calls.callTool,
    async findPrincipal({ principal, requestUrl }) {
      const currentPrincipal = await findPrincipal(principal)
      return currentPrincipal.ok
        ? narrowToView(currentPrincipal.value, { url: requestUrl }, 'tools:call', waitUntil, registry)
        : currentPrincipal
    },
    createAbort: () => new AbortController(),
    openCaller: () => ({ budget: createBudget(CALL_UNITS), background: waitUntil }),
    holdText: holdTexts,
    now: Date.now,
    sleep,
  })(task)
}

/** Opens the store of tasks. Texts of callers and tools are encrypted with the vault keys if there are any. */
export function openTaskStore({ config, stores }: Pick<Deployment, 'config' | 'stores'>): TaskStore {
  const { vaultKeys } = config
  const sealer = vaultKeys.length > 0 ? createKeyring(vaultKeys, 'task') : stores.deploymentKeys.sealer('task')
  return createTaskStore(stores.taskObjects, sealer)
}
