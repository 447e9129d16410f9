import fc from 'fast-check'
import { afterAll, beforeAll, it, vi } from 'vitest'
import { SIMULATED_SEEDS } from '../extent.ts'
import { Violation } from './violation.ts'
import { createWorld, type World } from './world.ts'

/** Acts in a world, and throws if a property does not hold. */
export type Scenario = (world: World) => Promise<void>

const { SIMULATION_SEED, SIMULATIONS } = process.env
const FIRST = Number(SIMULATION_SEED ?? 1)
const COUNT = Number(SIMULATIONS ?? (SIMULATION_SEED === undefined ? SIMULATED_SEEDS : 1))
/** Seeds per test, so that progress is visible. */
const A_TEST = 250
/** Number of events that a failure shows. */
const TRACED = 60
const TEST_TIMEOUT_MS = 600_000

/** In every test of a file, makes `Date` follow the simulation's clock, and silences the log of retries. */
export function standStill(): void {
  beforeAll(async () => {
    // The Worker contains these modules, so loading them takes no time there
    await import('../../src/storage/registry/write/publication.ts')
    await import('../../src/storage/registry/write/change-version.ts')
    await import('../../src/storage/registry/write/change-toolkit.ts')
    await import('../../src/storage/registry/search/unknown.ts')
    vi.useFakeTimers({ toFake: ['Date'] })
    for (const method of ['warn', 'error'] as const) vi.spyOn(console, method).mockReturnValue()
  })
  afterAll(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })
}

/** Runs a scenario with the seeds that the environment selects, or with the first ones; long scenarios use a share of them. */
export function simulateAll(scenario: Scenario, share = 1): void {
  const count = SIMULATIONS === undefined ? Math.ceil(COUNT * share) : COUNT
  const starts = Array.from({ length: Math.ceil(count / A_TEST) }, (_, n) => FIRST + n * A_TEST)
  it.each(starts)('holds from seed %i', { timeout: TEST_TIMEOUT_MS }, async (start) => {
    const end = Math.min(start + A_TEST, FIRST + count)
    for (let seed = start; seed < end; seed += 1) await checkSeed(seed, scenario)
  })
}

/** Runs a scenario with one seed. Its error says how to repeat the run, and shows the last events. */
export async function checkSeed(seed: number, scenario: Scenario): Promise<void> {
  let trace: readonly string[] = []
  const property = fc.asyncProperty(fc.scheduler(), fc.gen(), async (scheduler, draw) => {
    const world = createWorld(scheduler, draw)
    try {
      await scenario(world)
    } catch (error) {
      trace = world.trace().slice(-TRACED)
      throw error
    } finally {
      world.close()
    }
  })
  const { failed, errorInstance } = await fc.check(property, { seed, numRuns: 1, endOnFailure: true, unbiased: true })
  if (!failed) return
  const why = errorInstance instanceof Error ? errorInstance.message : String(errorInstance)
  const again = `SIMULATION_SEED=${seed} npx vitest run --config test/vitest.config.ts test/simulation`
  throw new Violation(`${why}\n\nAgain: ${again}\n\n${trace.join('\n')}`, {
    cause: errorInstance,
  })
}

/** Returns the message of the first seed of 100 with which a scenario fails in this way, or undefined. */
export async function failureOf(scenario: Scenario, why: RegExp): Promise<string | undefined> {
  for (let seed = 1; seed <= 100; seed += 1) {
    const failure = await checkSeed(seed, scenario).catch((error: Violation) => error)
    if (failure && why.test(failure.message)) return failure.message
  }
  return undefined
}

/** Lists all events of one seed. */
export async function eventsOf(seed: number, scenario: Scenario): Promise<readonly string[]> {
  let events: readonly string[] = []
  await checkSeed(seed, async (world) => {
    events = world.trace()
    await scenario(world)
  })
  return events
}
