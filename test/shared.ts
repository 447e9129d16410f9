import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * Third-party data next to a working copy, such as examples of specifications and catalogs. If it is missing, tests that
 * need it are skipped and report that. Our own examples cover the same ground.
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

/** Returns the end of the title of a test that reads this: why it is skipped, or nothing. */
export function unlessShared(path: string): string {
  return hasShared(path) ? '' : ' (skipped: ../shared is not beside this clone)'
}

/** Lists the names in a folder, or none if it is missing. */
export function listShared(path: string): string[] {
  return hasShared(path) ? readdirSync(`${shared}/${path}`) : []
}
