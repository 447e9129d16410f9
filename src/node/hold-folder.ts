import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/**
 * Keeps other servers from a folder of state until this process ends, and throws who has it. The number of
 * a process does not tell, since it may by then be another's.
 */
export function holdFolder(folder: string): void {
  const holder = join(folder, 'server.pid')
  try {
    lock(join(folder, 'server.lock'))
  } catch (error) {
    if (Object(error).errcode !== SQLITE_BUSY) throw error
    throw new Error(
      `Cannot serve from ${folder}: the server with process id ${readFileSync(holder, 'utf8')} does. Stop it, or give another --persist-to`,
      { cause: error },
    )
  }
  writeFileSync(holder, `${process.pid}`)
}

/** The operating system's lock, which it takes back however this process ends. */
export function lock(file: string, timeout = 0): void {
  mkdirSync(dirname(file), { recursive: true })
  const database = new DatabaseSync(file, { timeout })
  database.exec('BEGIN EXCLUSIVE')
  process.once('exit', () => database.close())
}

const SQLITE_BUSY = 5
