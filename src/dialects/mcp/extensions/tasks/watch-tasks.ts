import type { Tasks } from '../../../../core/task/task.ts'
import { isStringArray, type JsonObject } from '../../../../core/tool/json.ts'
import type { McpExchange } from '../../tools-call.ts'
import type { Watch } from '../extension.ts'
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
  const found = await Promise.all(taskIds.slice(0, MAX_WATCHED).map(find))
  /** When each was last updated, as far as the client knows. */
  const told = new Map<string, string>(found.flatMap((task) => (task ? [[task.id, ''] as const] : [])))
  return {
    accepted: { taskIds: [...told.keys()] },
    async poll() {
      const current = await Promise.all([...told.keys()].map(find))
      return current.flatMap((task) => {
        if (!task || told.get(task.id) === task.lastUpdatedAt) return []
        told.set(task.id, task.lastUpdatedAt)
        return { method: 'notifications/tasks', params: toDetailedTask(task, capabilities, getExchange()) }
      })
    },
  }
}
