import { boolean, into, list, object, optional, string, unique } from '../../core/tool/json-reader.ts'
import type { JsonObject } from '../../core/tool/json.ts'
import { valueSchema } from './value-schema.ts'

export interface Parameters {
  readonly schema: JsonObject
  /** The names of the parameters with `inferrable: false`: a person, not a model, must say their values. */
  readonly notInferrable: readonly string[]
}

/** Reads `input` into the JSON Schema of an object of its parameters. */
export function parameters() {
  const parameter = object({
    name: unique(string()),
    required: boolean,
    description: optional(string()),
    value_schema: valueSchema,
    inferrable: optional(boolean),
  })
  return into(object({ parameters: list(parameter) }), ({ parameters: all }): Parameters => {
    const schemas = all.map(({ name, value_schema: schema, description }): [string, JsonObject] => [
      name,
      description === undefined ? schema : { ...schema, description },
    ])
    const required = all.filter((each) => each.required).map(({ name }) => name)
    return {
      schema: { type: 'object', properties: Object.fromEntries(schemas), ...(required.length > 0 ? { required } : {}) },
      notInferrable: all.filter(({ inferrable }) => inferrable === false).map(({ name }) => name),
    }
  })
}
