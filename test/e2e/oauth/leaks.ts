import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** How a secret may be spelled where nobody meant to: as it is, in hexadecimal, in Base64 at any offset. */
function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const base64 = [0, 1, 2].map((offset) => {
    const shifted = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
    // What stands beside it decides its first and its last characters
    return shifted.replace(/=+$/, '').slice(offset === 0 ? 0 : offset + 1, -1)
  })
  const urlSafe = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))
  return [...new Set([secret, encodeURIComponent(secret), bytes.toString('hex'), ...base64, ...urlSafe])]
}

/** Which of the secrets stand in a text, whatever their spelling. */
export function leaked(text: string | Buffer, secrets: Iterable<string>): string[] {
  const found = (spelling: string) => text.includes(spelling)
  return [...secrets].filter((secret) => spellings(secret).some(found))
}

/** Every file under a folder, whole. Nothing may write there meanwhile. */
export function filesUnder(folder: string): { readonly path: string; readonly bytes: Buffer }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path, bytes: readFileSync(path) }))
}
