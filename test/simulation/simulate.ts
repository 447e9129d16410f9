import fc from 'fast-check'
import { afterAll, beforeAll, it, vi } from 'vitest'
import { SIMULATED_SEEDS } from '../extent.ts'
import { Violation } from './violation.ts'
import { createWorld, type World } from './world.ts'

/** What happens in a world, and what must hold of it: throws what does not. */
export type Scenario = (world: World) => Promise<void>

const { SIMULATION_SEED, SIMULATIONS } = process.env
const FIRST = Number(SIMULATION_SEED ?? 1)
const COUNT = Number(SIMULATIONS ?? (SIMULATION_SEED === undefined ? SIMULATED_SEEDS : 1))
/** Seeds a test, so that it is seen how far they are. */
const A_TEST = 250
/** Events that a failure shows. */
const TRACED = 60
const TEST_TIMEOUT_MS = 600_000

/** For every test of a file, `Date` goes by the clock of the simulation, and nothing of what is retried is printed. */
export function standStill(): void {
  beforeAll(async () => {
    // It lies in the Worker's one file: to load it takes no time there
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

/** Runs a scenario with the seeds that the environment asks for, or else with the first: of a long one, with a share of them. */
export function simulateAll(scenario: Scenario, share = 1): void {
  const count = SIMULATIONS === undefined ? Math.ceil(COUNT * share) : COUNT
  const starts = Array.from({ length: Math.ceil(count / A_TEST) }, (_, n) => FIRST + n * A_TEST)
  it.each(starts)('holds from seed %i', { timeout: TEST_TIMEOUT_MS }, async (start) => {
    const end = Math.min(start + A_TEST, FIRST + count)
    for (let seed = start; seed < end; seed += 1) await checkSeed(seed, scenario)
  })
}

/** Runs a scenario as one seed has it. What it throws says how to do so again, and what happened last. */
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

/** What a seed says in which a scenario fails so; undefined where none of a hundred does. */
export async function failureOf(scenario: Scenario, why: RegExp): Promise<string | undefined> {
  for (let seed = 1; seed <= 100; seed += 1) {
    const failure = await checkSeed(seed, scenario).catch((error: Violation) => error)
    if (failure && why.test(failure.message)) return failure.message
  }
  return undefined
}

/** All that happens with one seed. */
export async function eventsOf(seed: number, scenario: Scenario): Promise<readonly string[]> {
  let events: readonly string[] = []
  await checkSeed(seed, async (world) => {
    events = world.trace()
    await scenario(world)
  })
  return events
}
