import { untilAborted } from '../../outbound/until-aborted.ts'

/** Linked before the tool's module is run, and run first: it ends the isolate. */
const STOP = "throw new Error('Linked')"
const MAIN = "import './stop.js'\nimport { default as handler } from './tool.js'\nexport default { fetch: handler }\n"
const REFUSED = /^Uncaught (?:(SyntaxError: .*)|Error: (No such module .*))$/m
const NO_DEFAULT = /^SyntaxError: The requested module '\.\/tool\.js' does not provide an export named 'default'/
const PLACE = /^\s*at tool\.js:(\d+):(\d+)/m
const MAX_REASON = 300
const TIMEOUT_MS = 5_000

/** Why a module would not load; undefined where it would, and where that cannot be told. Nothing of it is run. */
export async function whyUnlinked(
  loader: Pick<WorkerLoader, 'load'>,
  limits: Pick<WorkerLoaderWorkerCode, 'compatibilityDate' | 'limits'>,
  module: string,
): Promise<string | undefined> {
  const waited = await untilAborted(async () => {
    const modules = { 'main.js': { js: MAIN }, 'stop.js': { js: STOP }, 'tool.js': { js: module } }
    const worker = loader.load({ ...limits, mainModule: 'main.js', modules, env: {}, globalOutbound: null })
    await worker.getEntrypoint().fetch('https://tool.invalid/')
  }, AbortSignal.timeout(TIMEOUT_MS))
  return waited.state === 'failed' && waited.error instanceof Error ? reasonOf(waited.error.message) : undefined
}

function reasonOf(message: string): string | undefined {
  const [, syntax, missing] = REFUSED.exec(message) ?? []
  const reason = syntax ?? missing
  if (reason === undefined) return undefined
  if (NO_DEFAULT.test(reason)) return 'it must export a function as its default'
  const [, line, column] = PLACE.exec(message) ?? []
  const place = line === undefined ? '' : ` (line ${line}, column ${column})`
  return `${reason.slice(0, MAX_REASON)}${place}`
}
