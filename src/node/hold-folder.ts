import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/**
 * Locks a folder of state until this process ends. Throws an error that names the server that has it. A process id alone
 * would not do, because it may be reused.
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

/** Takes a lock that the operating system releases, however this process ends. */
export function lock(file: string, timeout = 0): void {
  mkdirSync(dirname(file), { recursive: true })
  const database = new DatabaseSync(file, { timeout })
  database.exec('BEGIN EXCLUSIVE')
  process.once('exit', () => database.close())
}

const SQLITE_BUSY = 5
