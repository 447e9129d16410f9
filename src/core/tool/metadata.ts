import type { Loss } from './codec.ts'
import { isJsonObject, isStringArray, type JsonObject } from './json.ts'
import { encodePointerStep } from './problem.ts'
import { type Definition, deriveSecurityLevel, type ToolRecord } from './tool.ts'

type WithMetadata = Pick<Definition, 'metadata'>

export function declaredModes({ metadata }: WithMetadata): readonly string[] | undefined {
  const modes = metadata?.['available_modes']
  return isStringArray(modes) ? modes : undefined
}

export function givesArtifacts(record: WithMetadata): boolean {
  return declaredModes(record)?.includes('artifact') === true
}

/** Returns the toolkit's description, or else the document's (Open Tool Calling RFC, `toolkit.description`). */
export function getToolkitDescription(
  record: WithMetadata & Pick<ToolRecord, 'toolkitDescription'>,
): string | undefined {
  const text = record.toolkitDescription ?? record.metadata?.['toolkit_description']
  return typeof text === 'string' ? text : undefined
}

export const CONTEXT_PARAMETERS_KEY = 'non_inferrable_parameters'

export function listContextParameters({ metadata }: WithMetadata): readonly string[] {
  const names = metadata?.[CONTEXT_PARAMETERS_KEY]
  return isStringArray(names) ? names : []
}

export function omitContextParameters<R extends WithMetadata & { readonly input: JsonObject }>(record: R): R {
  const hiddenParameters = listContextParameters(record)
  return hiddenParameters.length === 0 ? record : { ...record, input: omitParameters(record.input, hiddenParameters) }
}

/** Removes parameters from an input schema. */
export function omitParameters(input: JsonObject, names: readonly string[]): JsonObject {
  if (names.length === 0) return input
  const { properties, required, ...rest } = input
  const visible = isJsonObject(properties) ? Object.entries(properties).filter(([name]) => !names.includes(name)) : []
  const stillRequired = isStringArray(required) ? required.filter((name) => !names.includes(name)) : []
  return {
    ...rest,
    ...(properties === undefined ? {} : { properties: Object.fromEntries(visible) }),
    ...(stillRequired.length === 0 ? {} : { required: stillRequired }),
  }
}

export function contextParameterLosses(record: WithMetadata): readonly Loss[] {
  return listContextParameters(record).map((name) => ({
    path: `/input/properties${encodePointerStep(name)}`,
    reason: 'No model may infer it: the context of a call gives it',
  }))
}

const FIELDS = ['title', 'annotations', 'taskSupport', 'icons', '_meta', 'metadata', 'examples'] as const

/** Lists the record's fields that a document lacks if it is returned as published. */
export function documentLosses(
  record: ToolRecord,
  reason: string,
  keptFields: readonly string[],
  expectedLevel?: number,
) {
  return fieldLosses(record, reason, [...FIELDS, ...keptFields], expectedLevel)
}

/** Lists the record's fields that a document cannot express, except `keptFields`. */
export function fieldLosses(
  record: ToolRecord,
  reason: string,
  keptFields: readonly string[] = [],
  expectedLevel = deriveSecurityLevel(record.requirements),
): readonly Loss[] {
  const { tags, requirements, securityLevel, requiresApproval } = record
  const lostFields: string[] = FIELDS.filter((field) => record[field] !== undefined)
  if (tags.length > 0) lostFields.push('tags')
  if (requirements.authorization.length > 0) lostFields.push('requirements/authorization')
  if (requirements.secrets.length > 0) lostFields.push('requirements/secrets')
  if (requirements.user_id) lostFields.push('requirements/user_id')
  if (securityLevel !== expectedLevel) lostFields.push('securityLevel')
  if (requiresApproval) lostFields.push('requiresApproval')
  return lostFields.flatMap((field) =>
    keptFields.includes(field.replace(/\/.*/, '')) ? [] : [{ path: `/${field}`, reason }],
  )
}
