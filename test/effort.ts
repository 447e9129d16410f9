const TRIES = 5

/** The longest that work may block a thread, in units of the reference, which takes about 5 ms on an idle machine. */
export const MOST_EFFORT = 40

/**
 * Measures the CPU time of some work as a multiple of reference work that runs next to it, because a busy machine slows down
 * both. Returns the lowest of a few tries.
 */
export function effortOf(work: () => unknown): number {
  let least = Infinity
  for (let tries = 0; tries < TRIES && least > MOST_EFFORT; tries++) {
    const before = referenceMs()
    const from = process.threadCpuUsage()
    work()
    const taken = since(from)
    least = Math.min(least, (2 * taken) / (before + referenceMs()))
  }
  return least
}

/** Measures asynchronous work in the same way, but once. */
export async function effortOfAsync(work: () => Promise<unknown>): Promise<number> {
  const before = referenceMs()
  const from = process.threadCpuUsage()
  await work()
  const taken = since(from)
  return (2 * taken) / (before + referenceMs())
}

const TEXT = JSON.stringify(
  Array.from({ length: 6_000 }, (_, index) => ({ index, name: `name ${index}`, list: [index] })),
)

/** Times the reference work: text, objects and numbers, like the work that it is compared with. */
function referenceMs(): number {
  const from = process.threadCpuUsage()
  let sum = 0
  for (let round = 0; round < 2; round++) {
    for (const each of JSON.parse(TEXT)) sum += JSON.stringify(each).length
  }
  if (sum === 0) throw new Error('Nothing was worked')
  return since(from)
}

/** Returns this thread's CPU time since then, in milliseconds. */
function since(from: { readonly user: number; readonly system: number }): number {
  const { user, system } = process.threadCpuUsage(from)
  return (user + system) / 1_000
}
