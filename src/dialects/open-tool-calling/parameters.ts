import type { Json, JsonObject } from '../../core/tool/json.ts'
import { type Problem } from '../../core/tool/problem.ts'
import { objectAt, textAt } from './fields.ts'
import { decodeValueSchema } from './value-schema.ts'

const FIELDS = {
  name: 'required',
  required: 'required',
  description: 'optional',
  value_schema: 'required',
  inferrable: 'optional',
} as const

export interface Parameters {
  readonly schema: JsonObject
  /** The names of the parameters with `inferrable: false`: a person, not a model, must say their values. */
  readonly notInferrable: readonly string[]
  readonly warnings: readonly Problem[]
}

/** Reads `input` into the JSON Schema of an object of its parameters. Every breach joins `problems`. */
export function decodeParameters(value: Json | undefined, problems: Problem[]): Parameters | undefined {
  const input = value === undefined ? undefined : objectAt(value, '/input', { parameters: 'required' }, problems)
  if (input?.parameters === undefined) return undefined
  if (!Array.isArray(input.parameters)) {
    problems.push({ path: '/input/parameters', message: 'Must be an array' })
    return undefined
  }
  const properties = new Map<string, JsonObject>()
  const required: string[] = []
  const notInferrable: string[] = []
  const warnings: Problem[] = []
  for (const [index, entry] of input.parameters.entries()) {
    const path = `/input/parameters/${index}`
    const parameter = objectAt(entry, path, FIELDS, problems)
    if (!parameter) continue
    const name = textAt(parameter.name, `${path}/name`, problems)
    const description = textAt(parameter.description, `${path}/description`, problems)
    for (const field of ['required', 'inferrable'] as const) {
      const flag = parameter[field]
      if (flag === undefined || typeof flag === 'boolean') continue
      problems.push({ path: `${path}/${field}`, message: 'Must be a boolean' })
    }
    const { value_schema } = parameter
    const decoded =
      value_schema === undefined ? undefined : decodeValueSchema(value_schema, `${path}/value_schema`, problems)
    if (name === undefined) continue
    if (properties.has(name)) {
      problems.push({ path: `${path}/name`, message: `Must be the only parameter called '${name}'` })
    }
    properties.set(name, { ...decoded?.schema, ...(description === undefined ? {} : { description }) })
    if (parameter.required === true) required.push(name)
    if (parameter.inferrable === false) notInferrable.push(name)
    warnings.push(...(decoded?.warnings ?? []))
  }
  const schema: JsonObject = {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 ? { required } : {}),
  }
  return { schema, notInferrable, warnings }
}
