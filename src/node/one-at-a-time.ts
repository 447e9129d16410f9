import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** As long as a build takes on a busy machine, several times over. */
const MOST_MS = 300_000

/** Whatever nobody refers to is closed. */
const held: DatabaseSync[] = []

/**
 * Waits until no other process holds a folder, and holds it from then on, until this process ends in whichever way: it is the system
 * that lets go of a file's lock.
 */
export function holdAlone(folder: string): void {
  mkdirSync(folder, { recursive: true })
  const database = new DatabaseSync(join(folder, '.lock'), { timeout: MOST_MS })
  database.exec('BEGIN EXCLUSIVE')
  held.push(database)
}
