import { DurableObject } from 'cloudflare:workers'
import type { DueTask } from '../../core/task/task.ts'
import type { StoredTasks } from './stored-tasks.ts'

/** The tasks of one principal. `run` runs a task and reports through `change`. The code loads with the first task. */
export function defineTasks<E>(clock: () => number, run: (env: E, task: DueTask) => Promise<void>) {
  return class Tasks extends DurableObject<E> {
    #stored: StoredTasks | undefined

    async #load(): Promise<StoredTasks> {
      const { createStoredTasks } = await import('./stored-tasks.ts')
      return (this.#stored ??= createStoredTasks(this.ctx, clock, (task) => run(this.env, task)))
    }

    async create(...call: Parameters<StoredTasks['create']>) {
      return (await this.#load()).create(...call)
    }

    async read(...task: Parameters<StoredTasks['read']>) {
      return (await this.#load()).read(...task)
    }

    async change(...change: Parameters<StoredTasks['change']>) {
      return (await this.#load()).change(...change)
    }

    async removeAll() {
      return (await this.#load()).removeAll()
    }

    override async alarm() {
      return (await this.#load()).runDue()
    }
  }
}

export type TasksObject = InstanceType<ReturnType<typeof defineTasks>>
