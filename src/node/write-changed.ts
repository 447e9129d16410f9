import { randomUUID } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'

/** Writes a file atomically, and only if it changed: a dev server watches the folder, and another build may write to it. */
export async function writeChanged(path: string, text: string): Promise<void> {
  if ((await readFile(path, 'utf8').catch(() => undefined)) === text) return
  const unfinished = `${path}.${randomUUID()}.tmp`
  await writeFile(unfinished, text)
  await rename(unfinished, path)
}
