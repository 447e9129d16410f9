/** Makes `src/generated/`, before each build of the Worker. */
import { fileURLToPath } from 'node:url'
import { readCommand } from './command.ts'
import { Broken, locateError } from './broken.ts'
import { lock } from './hold-folder.ts'

const LOCK_TIMEOUT_MS = 300_000

const { values } = readCommand('Reads the bundled tools and makes what the Worker is built from.', {
  tools: { type: 'string', default: 'tools', says: 'the folder of the tools' },
  out: { type: 'string', default: 'src/generated', says: 'where to' },
})

// Node warns each time that stripping types is experimental
process.removeAllListeners('warning')

try {
  // Before anything is read: a build of an older source must not be the last to write. Outside `src`, which `wrangler dev`
  // watches: it would build again for each lock that a build takes
  lock(fileURLToPath(new URL('../../dist/generate.lock', import.meta.url)), LOCK_TIMEOUT_MS)
  // Loaded here, so that a fault in source shared with the Worker is reported like one in a tool
  const { writeGenerated } = await import('./write-generated.ts').catch((error: unknown) => {
    throw new Broken(locateError('src/node/write-generated.ts', error))
  })
  await writeGenerated(values.tools, values.out)
} catch (error) {
  console.error(error instanceof Broken ? error.message : error)
  process.exit(1)
}
