const TRIES = 5

/** What may hold a thread: so many times the reference, of which one takes some five milliseconds of a quiet machine. */
export const MOST_EFFORT = 40

/**
 * How much of the processor some work takes, as a multiple of a reference that is worked beside it: what others make a busy machine
 * take longer for, it takes longer for both. It is the least of a few tries.
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

/** The same of work that is waited for, tried once. */
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

/** Text, objects and numbers, as the work is that it is compared with. */
function referenceMs(): number {
  const from = process.threadCpuUsage()
  let sum = 0
  for (let round = 0; round < 2; round++) {
    for (const each of JSON.parse(TEXT)) sum += JSON.stringify(each).length
  }
  if (sum === 0) throw new Error('Nothing was worked')
  return since(from)
}

/** Milliseconds of the processor that this thread took since then. */
function since(from: { readonly user: number; readonly system: number }): number {
  const { user, system } = process.threadCpuUsage(from)
  return (user + system) / 1_000
}
