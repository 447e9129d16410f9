import type { Loss } from './codec.ts'
import { isJsonObject, isStringArray, type JsonObject } from './json.ts'
import { encodePointerStep } from './problem.ts'
import { type Definition, deriveSecurityLevel, type ToolRecord } from './tool.ts'

type Described = Pick<Definition, 'metadata'>

export function declaredModes({ metadata }: Described): readonly string[] | undefined {
  const modes = metadata?.['available_modes']
  return isStringArray(modes) ? modes : undefined
}

export function givesArtifacts(record: Described): boolean {
  return declaredModes(record)?.includes('artifact') === true
}

/** The toolkit's own, else that of the document (Open Tool Calling RFC, `toolkit.description`). */
export function getToolkitDescription(record: Described & Pick<ToolRecord, 'toolkitDescription'>): string | undefined {
  const text = record.toolkitDescription ?? record.metadata?.['toolkit_description']
  return typeof text === 'string' ? text : undefined
}

export const CONTEXT_PARAMETERS_KEY = 'non_inferrable_parameters'

export function listContextParameters({ metadata }: Described): readonly string[] {
  const names = metadata?.[CONTEXT_PARAMETERS_KEY]
  return isStringArray(names) ? names : []
}

export function omitContextParameters<R extends Described & { readonly input: JsonObject }>(record: R): R {
  const hidden = listContextParameters(record)
  if (hidden.length === 0) return record
  const { properties, required, ...rest } = record.input
  const visible = isJsonObject(properties) ? Object.entries(properties).filter(([name]) => !hidden.includes(name)) : []
  const stillRequired = isStringArray(required) ? required.filter((name) => !hidden.includes(name)) : []
  const input: JsonObject = {
    ...rest,
    ...(properties === undefined ? {} : { properties: Object.fromEntries(visible) }),
    ...(stillRequired.length === 0 ? {} : { required: stillRequired }),
  }
  return { ...record, input }
}

export function contextParameterLosses(record: Described): readonly Loss[] {
  return listContextParameters(record).map((name) => ({
    path: `/input/properties${encodePointerStep(name)}`,
    reason: 'No model may infer it: the context of a call gives it',
  }))
}

const FIELDS = ['title', 'annotations', 'icons', '_meta', 'metadata', 'examples'] as const

/** Said beside a document that is given back as it was published. */
export function documentLosses(record: ToolRecord, reason: string, kept: readonly string[], level?: number) {
  return fieldLosses(record, reason, [...FIELDS, ...kept], level)
}

/** The fields of a record for which a document has no place, but those that are `said` all the same. */
export function fieldLosses(
  record: ToolRecord,
  reason: string,
  kept: readonly string[] = [],
  level = deriveSecurityLevel(record.requirements),
): readonly Loss[] {
  const { tags, requirements, securityLevel, requiresApproval } = record
  const lost: string[] = FIELDS.filter((field) => record[field] !== undefined)
  if (tags.length > 0) lost.push('tags')
  if (requirements.authorization.length > 0) lost.push('requirements/authorization')
  if (requirements.secrets.length > 0) lost.push('requirements/secrets')
  if (requirements.user_id) lost.push('requirements/user_id')
  if (securityLevel !== level) lost.push('securityLevel')
  if (requiresApproval) lost.push('requiresApproval')
  return lost.flatMap((field) => (kept.includes(field.replace(/\/.*/, '')) ? [] : [{ path: `/${field}`, reason }]))
}
