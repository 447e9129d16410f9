/** Makes `src/generated/`, before each build of the Worker. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { readCommand } from './command.ts'
import { Broken, placed } from './broken.ts'

const LOCK_TIMEOUT_MS = 300_000

const { values } = readCommand('Reads the bundled tools and makes what the Worker is built from.', {
  tools: { type: 'string', default: 'tools', says: 'the folder of the tools' },
  out: { type: 'string', default: 'src/generated', says: 'where to' },
})

// Node warns each time that stripping types is experimental
process.removeAllListeners('warning')

try {
  // Before anything is read: a build of an older source must not be the last to write
  lock(fileURLToPath(new URL(`../../${values.out}`, import.meta.url)))
  // Loaded here, so that a fault in source shared with the Worker is reported like one in a tool
  const { writeGenerated } = await import('./write-generated.ts').catch((error: unknown) => {
    throw new Broken(placed('src/node/write-generated.ts', error))
  })
  await writeGenerated(values.tools, values.out)
} catch (error) {
  console.error(error instanceof Broken ? error.message : error)
  process.exit(1)
}

/** The system releases the file's lock when the process ends. */
function lock(folder: string): void {
  mkdirSync(folder, { recursive: true })
  const database = new DatabaseSync(join(folder, '.lock'), { timeout: LOCK_TIMEOUT_MS })
  database.exec('BEGIN EXCLUSIVE')
  process.once('exit', () => database.close())
}
