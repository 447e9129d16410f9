/** `npm run build`: the Worker as wrangler deploys it. */
import { fileURLToPath } from 'node:url'
import { bundle } from './bundle.ts'

const outdir = fileURLToPath(new URL('../../dist/worker', import.meta.url))
const built = await bundle({ config: 'wrangler.toml', outdir, signal: new AbortController().signal })
if (!built.ok) {
  console.error(built.message)
  process.exitCode = 1
}
