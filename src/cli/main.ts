import { EXIT } from './cli-error.ts'
import { run } from './run.ts'

const stop = new AbortController()
// A second Ctrl+C exits immediately
process.once('SIGINT', () => stop.abort())
process.stdout.on('error', (error: NodeJS.ErrnoException) =>
  process.exit(error.code === 'EPIPE' ? EXIT.ok : EXIT.failed),
)

process.exitCode = await run(process.argv.slice(2), process, stop.signal)
