import type { CalledToolDeps } from '../core/call/authorize-call.ts'
import { createCheckCall } from '../core/call/check-call.ts'
import type { Tasks } from '../core/task/task.ts'
import { createTasks } from '../core/task/tasks.ts'
import type { Config } from '../env.ts'
import type { Stores } from './stores.ts'

export async function composeTasks(config: Config, { loadTasks }: Stores, deps: CalledToolDeps): Promise<Tasks> {
  return createTasks({
    store: await loadTasks(),
    checkCall: createCheckCall(deps),
    storesCredentials: config.vaultKeys.length > 0,
  })
}
