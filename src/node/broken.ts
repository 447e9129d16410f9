import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const here = fileURLToPath(new URL('.', import.meta.url))

export class Broken extends Error {}

export function locateError(path: string, error: unknown): string {
  if (!(error instanceof Error)) return `${path}: throws ${String(error)}`
  const places = [...(error.stack ?? '').matchAll(/(?:file:\/\/)?(\/[^\s():]+):(\d+)/g)]
  const [, file, line] = places.find(([, stackFile]) => stackFile?.startsWith(root)) ?? []
  const isKnown = file !== undefined && !file.startsWith(here)
  return `${isKnown ? `${relative(root, file)}:${line}` : path}: ${error.name}: ${error.message.replaceAll(root, '')}`
}
