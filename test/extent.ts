/** `npm test` does as much as eight minutes allow; `npm run test:full`, with `--mode full`, does everything. */
export const isFull = process.env['SWITCHBOARD_TESTS'] === 'full'

const extent = <T>(quick: T, full: T): T => (isFull ? full : quick)

/** Seeds for each scenario of the simulation. */
export const SIMULATED_SEEDS = extent(150, 1_000)
export const RANDOM_SCHEMAS = extent(300, 20_000)
/** Tools written and read back in each dialect. */
export const RANDOM_TOOLS = extent(300, 5_000)
/** Steps toward the worst input, see `climb.ts`. */
export const CLIMB_STEPS = extent(25, 80)
/** Cases for each decoder, see `fuzz/`. */
export const FUZZED_CASES = extent(150, 500)
/** Requests for each route. */
export const FUZZED_REQUESTS = extent(15, 50)
/** Tools published in workerd. Listing a page of them must take as many reads as with 500 tools. */
export const LISTED_TOOLS = extent(1_500, 5_000)
/** Writes to KV before a tool is published whose position in the queue is checked. */
export const WRITES_BEFORE = extent(400, 1_000)

/** One of this many operations of the GitHub API is called. */
export const OPERATIONS_A_CALL = extent(40, 5)
/** The same for the example descriptions. */
export const EXAMPLE_OPERATIONS_A_CALL = extent(3, 1)
/** One of this many example descriptions is also read as YAML. */
export const EXAMPLES_A_YAML = extent(3, 1)
/** Bodies that a self-hosted server refuses, one after the other. */
export const REFUSED_BODIES = extent(8, 30)

/** Selects the screens that pages are tested on: `npm test` uses only the last, a phone's. */
export const screens = <T>(all: readonly T[]): readonly T[] => all.slice(extent(-1, 0))

/** Files that `npm test` skips, each with what it costs or needs. */
export const FULL_ONLY: Readonly<Record<string, string>> = {
  'test/e2e/connect-inspector.test.ts': 'the MCP inspector, which npm fetches: 110 MB',
  'test/e2e/connect-mcp-remote.test.ts': 'mcp-remote, which signs in through Chromium',
  'test/e2e/connect-conformance.test.ts': "MCP's conformance suite once more, at the door where a person signs in",
  'test/e2e/connect-browser.test.ts': 'the page that lets an agent in, in Chromium; `connect.test.ts` has its requests',
  'test/e2e/console-person.test.ts': "a person's own pages of the console, in Chromium",
  'test/e2e/console-sign-in.test.ts': "people's ways through a company's console, in Chromium",
  'test/e2e/agent-hosts.test.ts': 'what the guide has people copy, with the clients that it is for',
  'test/e2e/snippets.test.ts': 'the commands of the README and of the guides, word for word',
  'test/e2e/first-examples.test.ts': "the README's first commands, with a Worker that is built for them",
  'test/e2e/package.test.ts': 'the package, made, installed by npm and checked by the compiler',
  'test/e2e/start.test.ts': 'what a start evaluates, by the coverage of V8',
  'test/entered.test.ts': 'what a warm request enters, by the coverage of V8, counted twice on a busy machine',
  'test/upload.test.ts': 'what Wrangler would upload, which it builds for that; `npm run ok` has it build that too',
  'test/operations.worker.test.ts': 'thousands of calls, which the guide counts what Cloudflare bills for',
  'test/node/generate.test.ts': 'programs that generate the same files at the same time',
  'test/attacks/what-the-network-says.test.ts': '`npm run serve`, at addresses of each kind',
  'test/attacks/rebinding-a-name.test.ts': '`npm run dev`, asked by a name that leads elsewhere the next moment',
  'test/attacks/guessing-the-sealing-key.test.ts': 'servers that are started again with other keys',
  'test/attacks/kept-without-end.test.ts': 'stores that are filled up to their quotas',
  'test/attacks/padded-documents.test.ts': 'documents of the largest size, one after the other, up to a quota',
  'test/attacks/plugins-and-reports.test.ts': 'plugins of megabytes, metered and refused',
  'test/attacks/worst-inputs.test.ts': 'the costliest inputs of their size to each route',
  'test/e2e/vault-keys.test.ts': 'servers that are started again with other keys',
  'test/e2e/second-server.test.ts': 'servers that are killed, and one in the folder of another',
  'test/e2e/full-disk.test.ts': 'a disk that is full',
  'test/e2e/backup.test.ts': 'registries of a thousand tools, taken from one deployment to another',
  'test/e2e/durability.test.ts': 'servers that are killed while 12 publish',
  'test/e2e/drift-serve.test.ts': '`npm run serve`, which builds the Worker anew',
  'test/e2e/kill.test.ts': 'servers that are killed at each step of a call',
  'test/e2e/kill-events.test.ts': 'servers that are killed while events come and are delivered',
  'test/e2e/tasks-restart.test.ts': 'a server that is killed while calls wait for a person and while they run',
  'test/e2e/kill-refresh.test.ts': 'servers that are killed again and again amid a refresh',
  'test/e2e/python.test.ts': 'packages of Python, which pip fetches: 60 MB',
  'test/e2e/wrangler-dev-whole.test.ts': '`npx wrangler dev` again and again; `wrangler-dev.test.ts` starts it once',
  'test/e2e/npm-run.test.ts': '`npm run dev`, `serve` and `fixtures`, each of which builds the Worker anew',
  'test/e2e/sandbox-processes.test.ts': 'code tools that hold the process that they run in, one after the other',
  'test/e2e/watching.test.ts': '`npm run dev`, which builds the Worker after each change',
  'test/e2e/toolset-catalog.test.ts': '2,600 tools in two deployments',
  'test/e2e/thousand-callers.test.ts': '1,000 callers at once',
  'test/e2e/held-in-memory.test.ts': 'servers whose memory callers try to fill',
  'test/fork.test.ts': 'a copy of the repository with other tools',
}
