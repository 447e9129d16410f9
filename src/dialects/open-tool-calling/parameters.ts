import { boolean, into, list, object, optional, string, unique } from '../../core/tool/json-reader.ts'
import { isList, type JsonObject } from '../../core/tool/json.ts'
import { valueSchema } from './value-schema.ts'

export interface Parameters {
  readonly schema: JsonObject
  /** Parameters with `inferrable: false`: a person, not a model, must give their values. */
  readonly notInferrable: readonly string[]
}

/** Reads `{parameters: […]}` or, as the RFC's text reads, the list itself. */
export function parameters() {
  const parameter = object({
    name: unique(string()),
    required: boolean,
    description: optional(string()),
    value_schema: valueSchema,
    inferrable: optional(boolean),
  })
  const all = list(parameter)
  const wrapped = into(object({ parameters: all }), ({ parameters: each }) => each)
  const either: typeof all = (value, report) => (isList(value) ? all(value, report) : wrapped(value, report))
  return into(either, (all): Parameters => {
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
