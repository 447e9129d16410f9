import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/**
 * Keeps other servers from a folder of state until this process ends, and throws who has it. The lock is the operating
 * system's, which takes it back however a process ends; the number of a process may by then be another's.
 */
export function holdFolder(folder: string): void {
  mkdirSync(folder, { recursive: true })
  const holder = join(folder, 'server.pid')
  const lock = new DatabaseSync(join(folder, 'server.lock'))
  try {
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    if (Object(error).errcode !== SQLITE_BUSY) throw error
    throw new Error(
      `Cannot serve from ${folder}: the server with process id ${readFileSync(holder, 'utf8')} does. Stop it, or give another --persist-to`,
      { cause: error },
    )
  }
  writeFileSync(holder, `${process.pid}`)
  process.once('exit', () => lock.close())
}

const SQLITE_BUSY = 5
