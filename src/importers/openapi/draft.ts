import type { JsonObject } from '../../core/tool/json.ts'
import { MAX_NAME } from '../../core/tool/tool-id.ts'
import { trim } from '../../core/tool/trim.ts'
import type { Description } from './description.ts'
import type { ConversionResult, SchemaConverter, ConversionWork } from './schema.ts'

export interface Input {
  readonly name: string
  readonly schema: ConversionResult
  readonly required: boolean
  readonly description?: string | undefined
}

export type Draft = ReturnType<typeof createDraft> & { body?: JsonObject }

export function createDraft(
  description: Description,
  converter: SchemaConverter,
  problems: string[],
  work: ConversionWork,
) {
  const inputs: Input[] = []
  const parameters: JsonObject[] = []
  const warnings: string[] = []
  const taken = new Set<string>()
  const addInput = (preferred: string, place: string, schema: unknown, more: Omit<Input, 'name' | 'schema'>) => {
    const plain = inputName(preferred)
    const placed = `${place}_${plain}`
    let name = [plain, placed.slice(0, MAX_NAME)].find((each) => !taken.has(each))
    for (let count = 2; name === undefined; count++) {
      work.budget.spend(1)
      const numbered = `${placed.slice(0, MAX_NAME - 6)}_${count}`
      if (!taken.has(numbered)) name = numbered
    }
    taken.add(name)
    inputs.push({ name, schema: converter.convert(schema, work), ...more })
    return name
  }
  return { description, work, addInput, inputs, parameters, problems, warnings }
}

/** Model providers take up to 64 letters, digits, dots, dashes and underscores. */
function inputName(name: string): string {
  if (/^[A-Za-z0-9_.-]{1,64}$/.test(name) && name !== '__proto__') return name
  const plain = trim(name.replaceAll(/[^A-Za-z0-9_.-]+/g, '_'), '_')
  return plain.slice(0, MAX_NAME) || 'input'
}
