import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Lists the forms in which a secret could leak: as it is, in hexadecimal, and in Base64 at any offset. */
function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const base64 = [0, 1, 2].map((offset) => {
    const shifted = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
    // The adjacent bytes determine its first and last characters
    return shifted.replace(/=+$/, '').slice(offset === 0 ? 0 : offset + 1, -1)
  })
  const urlSafe = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))
  return [...new Set([secret, encodeURIComponent(secret), bytes.toString('hex'), ...base64, ...urlSafe])]
}

/** Finds the secrets that a text contains in any form. */
export function leaked(text: string | Buffer, secrets: Iterable<string>): string[] {
  const found = (spelling: string) => text.includes(spelling)
  return [...secrets].filter((secret) => spellings(secret).some(found))
}

/** Reads every file under a folder. Nothing may write there meanwhile. */
export function filesUnder(folder: string): { readonly path: string; readonly bytes: Buffer }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path, bytes: readFileSync(path) }))
}
