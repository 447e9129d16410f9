import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import asc from 'assemblyscript/asc'
import binaryen from 'assemblyscript/binaryen'

const folder = fileURLToPath(new URL('.', import.meta.url))
const root = fileURLToPath(new URL('../..', import.meta.url))

/** Compiles `test/plugins/<name>.as` (AssemblyScript) to a plugin. `-O1` takes a quarter of the time of `-O`. */
export async function compilePlugin(name: string, level: '-O1' | '-O' = '-O'): Promise<Uint8Array<ArrayBuffer>> {
  let binary: Uint8Array | undefined
  const { error, stderr } = await asc.main(
    ['plugin.ts', '--outFile', 'plugin.wasm', level, '--runtime', 'incremental'],
    {
      readFile(path) {
        try {
          return readFileSync(path === 'plugin.ts' ? join(folder, `${name}.as`) : join(root, path), 'utf8')
        } catch {
          return null
        }
      },
      writeFile(_, content) {
        if (typeof content !== 'string') binary = content
      },
      listFiles: () => [],
    },
  )
  if (error || !binary) throw new Error(`Cannot compile '${name}': ${stderr.toString()}`, { cause: error })
  return new Uint8Array(binary)
}

/** Assembles a module from the text format. */
export function assemble(text: string): Uint8Array<ArrayBuffer> {
  const module = binaryen.parseText(text)
  module.setFeatures(binaryen.Features.All)
  const bytes = new Uint8Array(module.emitBinary())
  module.dispose()
  return bytes
}
