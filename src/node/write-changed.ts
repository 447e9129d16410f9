import { randomUUID } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'

/** Only when it changed, and in one step: a dev server watches the folder, and another build may be at it too. */
export async function writeChanged(path: string, text: string): Promise<void> {
  if ((await readFile(path, 'utf8').catch(() => undefined)) === text) return
  const unfinished = `${path}.${randomUUID()}.tmp`
  await writeFile(unfinished, text)
  await rename(unfinished, path)
}
