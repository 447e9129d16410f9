import { createCheckCall } from '../core/call/check-call.ts'
import type { Tasks } from '../core/task/task.ts'
import type { TaskStore } from '../core/task/task-store.ts'
import { createTasks } from '../core/task/tasks.ts'
import { createKeyring } from '../storage/sealing/keyring.ts'
import { createTaskStore } from '../storage/tasks/task-store.ts'
import type { Deployment } from './deployment.ts'
import { sleep, startDeadline } from './platform.ts'

export function openTasks(deployment: Pick<Deployment, 'config' | 'stores' | 'calls'>): Tasks {
  const checkCall = createCheckCall({ ...deployment.calls, startDeadline })
  return createTasks({
    store: openTaskStore(deployment),
    checkCall,
    storesCredentials: deployment.config.vaultKeys.length > 0,
    now: Date.now,
    sleep,
  })
}

/** What callers and tools wrote is encrypted as grants are, where there are keys for that. */
export function openTaskStore({ config, stores }: Pick<Deployment, 'config' | 'stores'>): TaskStore {
  const { vaultKeys } = config
  const sealer = vaultKeys.length > 0 ? createKeyring(vaultKeys, 'task') : stores.deploymentKeys.sealer('task')
  return createTaskStore(stores.taskObjects, sealer)
}
