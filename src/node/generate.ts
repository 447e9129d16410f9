/**
 * Makes `src/generated/`: the bundle of the tools under `tools/`, with their records, digests and compiled validators,
 * the text of the modules that run inside sandboxes, and the guides. `npm run generate` runs it, and so does every build of the Worker. `--tools` and `--out` name other folders.
 */
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Broken, placed } from './broken.ts'
import { holdAlone } from './one-at-a-time.ts'

const { values } = parseArgs({
  options: { tools: { type: 'string', default: 'tools' }, out: { type: 'string', default: 'src/generated' } },
})

// Node calls it experimental to strip types from a text, and would say so each time
process.removeAllListeners('warning')

try {
  // Before anything is read: whoever began with an older source must not be the last to write
  holdAlone(fileURLToPath(new URL(`../../${values.out}`, import.meta.url)))
  // Loaded here, so that a fault in the source that this shares with the Worker is told like one in a tool
  const { writeGenerated } = await import('./write-generated.ts').catch((error: unknown) => {
    throw new Broken(placed('src/node/write-generated.ts', error))
  })
  await writeGenerated(values.tools, values.out)
} catch (error) {
  console.error(error instanceof Broken ? error.message : error)
  process.exit(1)
}
