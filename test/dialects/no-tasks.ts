import { fail } from '../../src/core/failure/failure.ts'
import type { TaskManager } from '../../src/core/task/tasks.ts'

/** Where every call is waited for. */
export const NO_TASKS: Pick<TaskManager, 'start'> = {
  start: async () => fail({ type: 'unavailable', message: 'There are no tasks here' }),
}
