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
  const usedNames = new Set<string>()
  const addInput = (
    preferredName: string,
    location: string,
    schema: unknown,
    fields: Omit<Input, 'name' | 'schema'>,
  ) => {
    const plainName = toInputName(preferredName)
    const locatedName = `${location}_${plainName}`
    let name = [plainName, locatedName.slice(0, MAX_NAME)].find((candidate) => !usedNames.has(candidate))
    for (let count = 2; name === undefined; count++) {
      work.budget.spend(1)
      const numberedName = `${locatedName.slice(0, MAX_NAME - 6)}_${count}`
      if (!usedNames.has(numberedName)) name = numberedName
    }
    usedNames.add(name)
    inputs.push({ name, schema: converter.convert(schema, work), ...fields })
    return name
  }
  return { description, work, addInput, inputs, parameters, problems, warnings }
}

/** Model providers accept up to 64 letters, digits, dots, dashes and underscores. */
function toInputName(name: string): string {
  if (/^[A-Za-z0-9_.-]{1,64}$/.test(name) && name !== '__proto__') return name
  const replacedName = trim(name.replaceAll(/[^A-Za-z0-9_.-]+/g, '_'), '_')
  return replacedName.slice(0, MAX_NAME) || 'input'
}
