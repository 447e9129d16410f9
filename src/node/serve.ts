/**
 * `npm run serve`: the production bundle on workerd, through miniflare and without the proxies of `wrangler dev`. Takes
 * `--port`, `--ip`, `--persist-to` and `--var NAME:value` as `wrangler dev` does. `--built` serves what `--outdir` holds
 * already.
 */
import { spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { unstable_getMiniflareWorkerOptions as readWorkerOptions } from 'wrangler'

const root = fileURLToPath(new URL('../..', import.meta.url))

const { values } = parseArgs({
  options: {
    'port': { type: 'string', default: '8787' },
    'ip': { type: 'string', default: '127.0.0.1' },
    'persist-to': { type: 'string', default: join(root, '.wrangler/state') },
    'var': { type: 'string', multiple: true, default: [] },
    'config': { type: 'string', default: 'wrangler.toml' },
    'outdir': { type: 'string', default: 'dist' },
    'entry': { type: 'string', default: 'index.js' },
    'built': { type: 'boolean', default: false },
  },
})
const outdir = resolve(root, values.outdir)
const variables = Object.fromEntries(
  values.var.map((text) => {
    const at = text.indexOf(':')
    if (at < 1) throw new Error(`Cannot read '--var ${text}': wanted NAME:value`)
    return [text.slice(0, at), text.slice(at + 1)]
  }),
)

if (!values.built) build()

const { workerOptions } = readWorkerOptions(join(root, values.config))
const { modulesRules: _, ...worker } = workerOptions
const miniflare = new Miniflare(
  convertV4MiniflareOptions({
    ...worker,
    modulesRoot: outdir,
    modules: [{ type: 'ESModule', path: join(outdir, values.entry) }],
    bindings: { ...Object(worker.bindings), ...variables },
    port: 0,
    unsafeDirectSockets: [{ host: values.ip, port: Number(values.port) }],
    resourcePersistencePath: values['persist-to'],
  }),
)
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => void miniflare.dispose().finally(() => process.exit(0)))
}
await miniflare.ready
const { port } = await miniflare.unsafeGetDirectURL()
console.log(`Ready on http://${values.ip}:${port}`)

function build(): void {
  const args = ['deploy', '--dry-run', '--config', values.config, '--outdir', outdir]
  const { status, stdout, stderr, error } = spawnSync('wrangler', args, {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, WRANGLER_SEND_METRICS: 'false' },
  })
  if (status === 0) return
  process.stderr.write(`${stdout ?? ''}${stderr ?? ''}${error ? `${error.message}\n` : ''}`)
  process.exit(1)
}
