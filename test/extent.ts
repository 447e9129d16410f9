/** `npm test` does what five minutes allow; `npm run test:full`, by `--mode full`, does everything. */
export const isFull = process.env['SWITCHBOARD_TESTS'] === 'full'

const extent = <T>(quick: T, full: T): T => (isFull ? full : quick)

/** Of each scenario of the simulation. */
export const SIMULATED_SEEDS = extent(150, 1_000)
export const RANDOM_SCHEMAS = extent(300, 20_000)
/** That are written and read back in each dialect. */
export const RANDOM_TOOLS = extent(1_000, 5_000)
/** Towards the worst input, see `climb.ts`. */
export const CLIMB_STEPS = extent(25, 80)
/** Of each decoder, see `fuzz/`. */
export const FUZZED_CASES = extent(150, 500)
/** Of each route. */
export const FUZZED_REQUESTS = extent(15, 50)
/** Published in workerd, of which a page is listed for as many reads as of 500. */
export const LISTED_TOOLS = extent(1_500, 5_000)

/** Files that `npm test` leaves out, each with what it costs or needs. */
export const FULL_ONLY: Readonly<Record<string, string>> = {
  'test/e2e/connect-inspector.test.ts': 'the MCP inspector, which npm fetches: 110 MB',
  'test/e2e/connect-mcp-remote.test.ts': 'mcp-remote, which signs in through Chromium',
  'test/e2e/connect-conformance.test.ts': "MCP's conformance suite once more, at the door where a person signs in",
  'test/e2e/backup.test.ts': 'registries of a thousand tools, taken from one deployment to another',
  'test/e2e/durability.test.ts': 'servers that are killed while 12 publish',
  'test/e2e/kill.test.ts': 'servers that are killed at each step of a call',
  'test/e2e/kill-refresh.test.ts': 'servers that are killed again and again amid a refresh',
  'test/e2e/python.test.ts': 'packages of Python, which pip fetches: 60 MB',
  'test/e2e/npm-run.test.ts': '`npm run dev`, `serve` and `fixtures`, each of which builds the Worker anew',
  'test/e2e/watching.test.ts': '`npm run dev`, which builds the Worker after each change',
  'test/e2e/thousand-callers.test.ts': '1,000 callers at once',
  'test/fork.test.ts': 'a copy of the repository with other tools',
}
