import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * Other people's data that lies beside a working copy and is not part of it: specifications' examples, catalogs. Tests
 * that need it are skipped without it, and say so; examples of our own cover the same ground.
 */
const shared = fileURLToPath(new URL('../../shared', import.meta.url))

export function sharedPath(path: string): string {
  return `${shared}/${path}`
}

export function hasShared(path: string): boolean {
  return existsSync(sharedPath(path))
}

export function readShared(path: string): string {
  return readFileSync(`${shared}/${path}`, 'utf8')
}

/** The end of the title of a test that reads this: why it is skipped, or nothing. */
export function unlessShared(path: string): string {
  return hasShared(path) ? '' : ' (skipped: ../shared is not beside this clone)'
}

/** The names in a folder; none without it. */
export function listShared(path: string): string[] {
  return hasShared(path) ? readdirSync(`${shared}/${path}`) : []
}
