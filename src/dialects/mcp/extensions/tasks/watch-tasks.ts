import { isOver, type Tasks } from '../../../../core/task/task.ts'
import { isStringArray, type JsonObject } from '../../../../core/tool/json.ts'
import type { McpExchange } from '../../tools-call.ts'
import type { McpNotification, Watch } from '../extension.ts'
import { toDetailedTask } from './wire.ts'

const MAX_WATCHED = 20

/** Watches the caller's tasks that `taskIds` names. The first notification of each says how it is now. */
export async function watchTasks(
  { taskIds }: JsonObject,
  getExchange: () => McpExchange,
  capabilities: JsonObject,
  tasks: Tasks,
): Promise<Watch | undefined> {
  if (!isStringArray(taskIds)) return undefined
  const find = async (id: string) => {
    const found = await tasks.get(id, getExchange().context.principal)
    return found.ok ? found.value : undefined
  }
  /** When each was last updated, as far as the client knows. One is read at a time, since a result may have megabytes. */
  const told = new Map<string, string>()
  for (const id of taskIds.slice(0, MAX_WATCHED)) if (await find(id)) told.set(id, '')
  return {
    accepted: { taskIds: [...told.keys()] },
    async poll() {
      const changes: McpNotification[] = []
      for (const [id, lastUpdatedAt] of told) {
        const task = await find(id)
        if (!task || task.lastUpdatedAt === lastUpdatedAt) continue
        told.set(id, task.lastUpdatedAt)
        changes.push({ method: 'notifications/tasks', params: toDetailedTask(task, capabilities, getExchange()) })
        if (!isOver(task)) continue
        // It changes no more; the next result comes with the next poll
        told.delete(id)
        break
      }
      return changes
    },
  }
}
