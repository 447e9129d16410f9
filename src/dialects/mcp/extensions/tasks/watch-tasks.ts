import { isOver } from '../../../../core/task/task.ts'
import type { Tasks } from '../../../../core/task/tasks.ts'
import { isStringArray, type JsonObject } from '../../../../core/tool/json.ts'
import type { McpExchange } from '../../tools-call.ts'
import type { ServerNotification, Watch } from '../extension.ts'
import { toDetailedTask } from './methods.ts'

const MAX_WATCHED = 20

/** Watches the caller's tasks in `taskIds`. The first notification for each task contains its current state. */
export async function watchTasks(
  { taskIds }: JsonObject,
  exchange: McpExchange,
  tasks: Tasks,
): Promise<Watch | undefined> {
  if (!isStringArray(taskIds)) return undefined
  const find = async (id: string, { context }: McpExchange) => {
    const found = await tasks.get(id, context.principal)
    return found.ok ? found.value : undefined
  }
  /** The last update of each task that the client knows. Tasks are read one at a time, since a result may have megabytes. */
  const lastUpdates = new Map<string, string>()
  for (const id of taskIds.slice(0, MAX_WATCHED)) if (await find(id, exchange)) lastUpdates.set(id, '')
  if (lastUpdates.size === 0) return undefined
  return {
    accepted: { taskIds: [...lastUpdates.keys()] },
    async poll(current) {
      const changes: ServerNotification[] = []
      for (const [id, lastUpdatedAt] of lastUpdates) {
        const task = await find(id, current)
        if (!task || task.lastUpdatedAt === lastUpdatedAt) continue
        lastUpdates.set(id, task.lastUpdatedAt)
        changes.push({ method: 'notifications/tasks', params: toDetailedTask(task, current) })
        if (!isOver(task)) continue
        // An ended task no longer changes. The next result waits for the next poll
        lastUpdates.delete(id)
        break
      }
      return changes
    },
  }
}
