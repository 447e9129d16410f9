import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { convertV4MiniflareOptions, Miniflare, type Request, Response } from 'miniflare'
import { unstable_getMiniflareWorkerOptions as readWorkerOptions } from 'wrangler'

const root = fileURLToPath(new URL('../..', import.meta.url))

export interface InProcess {
  readonly miniflare: Miniflare
  readonly url: URL
  /** Everything the Worker wrote to its log so far. */
  readonly printed: () => string
  stop(): Promise<void>
}

export interface InProcessOptions {
  /** Variables and secrets, over those of `wrangler.toml`. */
  readonly vars: Readonly<Record<string, unknown>>
  /** Answers every request that leaves the Worker. */
  readonly outbound?: (request: Request) => Response | Promise<Response>
  /** Whether there is a Worker Loader; there is one unless this says otherwise. */
  readonly loader?: boolean
}

/**
 * Builds the production bundle into a folder of its own, with what esbuild says of it in `bundle-meta.json`; `output` is
 * what wrangler said.
 */
export function buildBundle(): { readonly folder: string; readonly output: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-bundle-'))
  const built = spawnSync('wrangler', ['deploy', '--dry-run', '--outdir', folder, '--metafile'], {
    cwd: root,
    encoding: 'utf8',
    env: {
      ...process.env,
      PATH: `${join(root, 'node_modules/.bin')}:${process.env['PATH']}`,
      WRANGLER_SEND_METRICS: 'false',
    },
  })
  const remove = () => rmSync(folder, { recursive: true, force: true })
  if (built.status === 0) return { folder, output: `${built.stdout}${built.stderr}`, remove }
  remove()
  throw new Error(`Cannot build the Worker:\n${built.stdout}${built.stderr}`)
}

/**
 * The production bundle on workerd, through miniflare as in `src/node/serve.ts`, in this process: so a test can answer
 * what leaves it for the hosts of other services, and reach its storage.
 */
export async function startInProcess({ vars, outbound = refuse, loader = true }: InProcessOptions): Promise<InProcess> {
  const bundle = (built ??= buildOnce())
  const { workerOptions } = readWorkerOptions(join(root, 'wrangler.toml'))
  const { modulesRules: _, ...worker } = workerOptions
  let printed = ''
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      ...worker,
      ...(loader ? {} : { workerLoaders: {} }),
      modulesRoot: bundle.folder,
      modules: [{ type: 'ESModule', path: join(bundle.folder, 'index.js') }],
      bindings: { ...Object(worker.bindings), ...vars },
      host: '127.0.0.1',
      port: 0,
      outboundService: outbound,
      handleStructuredLogs: ({ message }) => void (printed += `${message}\n`),
    }),
  )
  const url = await miniflare.ready
  return {
    miniflare,
    url,
    printed: () => printed,
    async stop() {
      await miniflare.dispose()
    },
  }
}

let built: ReturnType<typeof buildBundle> | undefined

/** One build serves all servers of a test file, and goes with its process. */
function buildOnce(): ReturnType<typeof buildBundle> {
  const bundle = buildBundle()
  process.once('exit', bundle.remove)
  return bundle
}

function refuse(request: Request): Response {
  return new Response(`Nothing is at ${new URL(request.url).host} in this test`, { status: 502 })
}
