import { fileURLToPath } from 'node:url'
import { bundle } from './bundle.ts'
import { readCommand } from './command.ts'

readCommand('Builds the Worker in dist/worker, as wrangler deploys it.', {})
const outdir = fileURLToPath(new URL('../../dist/worker', import.meta.url))
const built = await bundle({ config: 'wrangler.toml', outdir, signal: new AbortController().signal })
if (!built.ok) {
  console.error(built.message)
  process.exitCode = 1
}
