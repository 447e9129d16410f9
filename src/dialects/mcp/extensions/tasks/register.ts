import { TASKS_EXTENSION } from '../../wire.ts'
import type { McpExtension } from '../extension.ts'
import type { TaskCallDeps } from './task-call.ts'

/**
 * `io.modelcontextprotocol/tasks`: the server answers some calls with a task (`task-call.ts`), which the client then follows
 * (`methods.ts`) until it has the result.
 */
export function registerTasks(extensions: McpExtension[], deps: TaskCallDeps): void {
  const loadMethods = () => import('./methods.ts')
  extensions.push({
    id: TASKS_EXTENSION,
    methods: {
      'tasks/get': async (...request) => (await loadMethods()).getTask(...request, deps.tasks),
      'tasks/update': async (...request) => (await loadMethods()).updateTask(...request, deps.tasks),
      'tasks/cancel': async (...request) => (await loadMethods()).cancelTask(...request, deps.tasks),
    },
    aroundTool: async (...call) => (await import('./task-call.ts')).callAsTask(deps, ...call),
    watch: async (...request) => (await import('./watch-tasks.ts')).watchTasks(...request, deps.tasks),
  })
}
