/** Generates `src/generated/` before each build of the Worker. */
import { fileURLToPath } from 'node:url'
import { readCommand } from './command.ts'
import { Broken, locateError } from './broken.ts'
import { lock } from './hold-folder.ts'

const LOCK_TIMEOUT_MS = 300_000

const { values } = readCommand('Reads the bundled tools and makes what the Worker is built from.', {
  tools: { type: 'string', default: 'tools', says: 'the folder of the tools' },
  out: { type: 'string', default: 'src/generated', says: 'where to' },
})

// Node warns on every run that type stripping is experimental
process.removeAllListeners('warning')

try {
  // Locked before anything is read, so that a build of older source is not the last to write. The lock is outside `src`,
  // because `wrangler dev` watches `src` and would rebuild for each lock that a build takes
  lock(fileURLToPath(new URL('../../dist/generate.lock', import.meta.url)), LOCK_TIMEOUT_MS)
  // Loaded here, so that an error in source shared with the Worker is reported like an error in a tool
  const { writeGenerated } = await import('./write-generated.ts').catch((error: unknown) => {
    throw new Broken(locateError('src/node/write-generated.ts', error))
  })
  await writeGenerated(values.tools, values.out)
} catch (error) {
  console.error(error instanceof Broken ? error.message : error)
  process.exit(1)
}
