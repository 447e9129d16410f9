import type { CompiledSchema } from '../../../src/core/schema/validator.ts'
import { compileSchemas } from '../../../src/node/compile-schemas.ts'
import type { JsonSchema } from '../../../src/core/tool/tool.ts'

/** Compiles schemas as the build does, and loads the resulting module. */
export async function importCompiled(
  schemas: Readonly<Record<string, JsonSchema>>,
): Promise<Readonly<Record<string, CompiledSchema>>> {
  const text = await compileSchemas(schemas)
  return import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(text)}`)
}
