import type { Loss } from './codec.ts'
import { isJsonObject, isTexts, type JsonObject } from './json.ts'
import { pointerStep } from './problem.ts'
import type { Definition } from './tool.ts'

/** What a record's metadata says that no other field of it does, in the words of the Open Tool Calling RFC. */
type Described = Pick<Definition, 'metadata'>

/** The output modes that a tool's publisher declared; undefined where they were left to what the rest of the record says. */
export function declaredModes({ metadata }: Described): readonly string[] | undefined {
  const modes = metadata?.['available_modes']
  return isTexts(modes) ? modes : undefined
}

/** Whether a tool's output may be an artifact: something that lies elsewhere. */
export function givesArtifacts(record: Described): boolean {
  return declaredModes(record)?.includes('artifact') === true
}

/** What the tool's toolkit is for, where its publisher said that. */
export function toolkitDescription({ metadata }: Described): string | undefined {
  const text = metadata?.['toolkit_description']
  return typeof text === 'string' ? text : undefined
}

/** Where a record's metadata names the inputs that no model may make up. */
export const HIDDEN = 'non_inferrable_parameters'

/** The inputs that no model may make up (`inferrable: false`): they are taken from the context of a call, by their names. */
export function nonInferrable({ metadata }: Described): readonly string[] {
  const names = metadata?.[HIDDEN]
  return isTexts(names) ? names : []
}

/** A record as models are shown it: without the inputs that no model may make up. It is the record itself where there are none. */
export function offered<R extends Described & { readonly input: JsonObject }>(record: R): R {
  const hidden = nonInferrable(record)
  if (hidden.length === 0) return record
  const { properties, required, ...rest } = record.input
  const shown = isJsonObject(properties) ? Object.entries(properties).filter(([name]) => !hidden.includes(name)) : []
  const wanted = isTexts(required) ? required.filter((name) => !hidden.includes(name)) : []
  const input: JsonObject = {
    ...rest,
    ...(properties === undefined ? {} : { properties: Object.fromEntries(shown) }),
    ...(wanted.length === 0 ? {} : { required: wanted }),
  }
  return { ...record, input }
}

/** What `offered` leaves out. */
export function withheld(record: Described): readonly Loss[] {
  return nonInferrable(record).map((name) => ({
    path: `/input/properties${pointerStep(name)}`,
    reason: 'No model may infer it: the context of a call gives it',
  }))
}
