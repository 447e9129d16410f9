import { TASKS_EXTENSION } from '../../wire.ts'
import type { McpExtension, McpMethod } from '../extension.ts'
import type { RunMethod } from './methods.ts'
import type { TaskCallDeps } from './task-call.ts'

/**
 * `io.modelcontextprotocol/tasks`: the server responds to some calls with a task (`task-call.ts`), which the client polls
 * (`methods.ts`) until it has the result.
 */
export function registerTasks(extensions: McpExtension[], deps: TaskCallDeps): void {
  const { tasks } = deps
  const method =
    (run: RunMethod): McpMethod =>
    async (...request) =>
      (await import('./methods.ts')).answerMethod(run, ...request)
  extensions.push({
    id: TASKS_EXTENSION,
    methods: {
      'tasks/get': method(({ taskId }, principal) => tasks.get(taskId, principal)),
      'tasks/update': method(({ taskId, inputResponses }, principal) =>
        tasks.update(taskId, principal, inputResponses),
      ),
      'tasks/cancel': method(({ taskId }, principal) => tasks.cancel(taskId, principal)),
    },
    wrapToolCall: async (...call) => (await import('./task-call.ts')).callToolWithTasks(deps, ...call),
    watch: async (...request) => (await import('./methods.ts')).watchTasks(...request, tasks),
  })
}
