import type { Budget } from './budget.ts'

/** Lets others in. Passed in, since core has no platform. */
export type GiveWay = () => Promise<void>

/** In units of work: some 10 ms. A Worker's clock stands still while it computes, so time cannot be asked. */
const STRETCH = 10_000

/** Called between steps of a long task: gives way where a stretch was spent on `work` since it last did. */
export function afterStretches(work: Pick<Budget, 'spent'>, giveWay: GiveWay): () => Promise<void> | undefined {
  let from = work.spent
  return () => {
    if (work.spent - from < STRETCH) return undefined
    from = work.spent
    return giveWay()
  }
}
