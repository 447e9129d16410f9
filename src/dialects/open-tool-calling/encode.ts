import { MODEL_INLINE_BYTES } from '../../core/call/output.ts'
import type { EncodeResult, Loss } from '../../core/tool/codec.ts'
import { isJsonObject, isJsonArray, isObject, isStringArray, type Json, type JsonObject } from '../../core/tool/json.ts'
import {
  documentLosses,
  fieldLosses,
  givesArtifacts,
  listContextParameters,
  getToolkitDescription,
} from '../../core/tool/metadata.ts'
import { sourceNames } from '../../core/tool/source-names.ts'
import { toDerivedName, parseToolId } from '../../core/tool/tool-id.ts'
import { encodePointerStep } from '../../core/tool/problem.ts'
import { deriveSecurityLevel, type JsonSchema, needsApproval, type ToolRecord } from '../../core/tool/tool.ts'
import { listNameCandidates } from './names.ts'
import { encodeRequirements } from './requirements.ts'
import { DEFINITION_SCHEMA } from './schema-uri.ts'
import { encodeValueSchema } from './value-schema.ts'

const NO_FIELD = 'The Open Tool Calling RFC has no such field'
const ROOT_KEYWORDS = ['type', 'properties', 'required']

export function encode(record: ToolRecord): EncodeResult {
  const { dialect, document: source } = record.source
  const { toolkit, tool, version, id, description, requirements } = record
  const level = deriveSecurityLevel({ ...requirements, user_id: false })
  if (dialect === 'open-tool-calling' && source !== undefined)
    return { document: source, losses: documentLosses(record, NO_FIELD, ['requirements'], level) }
  const losses = [...fieldLosses(record, NO_FIELD, ['requirements'], level)]
  if (record.name !== toDerivedName(record)) losses.push({ path: '/name', reason: NO_FIELD })
  const document: JsonObject = {
    $schema: DEFINITION_SCHEMA,
    name: tool,
    fully_qualified_name: id,
    description,
    toolkit: { name: toolkit, description: getToolkitDescription(record) ?? describeToolkit(toolkit), version },
    input: { parameters: encodeParameters(record.input, listContextParameters(record), losses) },
    output: encodeOutput(record, losses),
    requirements: encodeRequirements(requirements, losses),
  }
  return { document, losses }
}

/** Encodes a tool for lists, by the RFC's schema and with callable names. Published documents may follow only its text. */
export function encodeListed(record: ToolRecord): Json {
  const { document } = encode(record)
  if (!isJsonObject(document)) return document
  const {
    $schema: _,
    id,
    name,
    fully_qualified_name = id,
    toolkit,
    input,
    description,
    requirements,
    ...fields
  } = document
  const { name: toolkitName, ...toolkitFields } = isJsonObject(toolkit) ? toolkit : {}
  const { identifier, name: sourceName } = sourceNames(record)
  return {
    $schema: DEFINITION_SCHEMA,
    ...(identifier === undefined ? {} : { id: identifier }),
    name:
      sourceName !== undefined && sourceName === name
        ? sourceName
        : toCallableName(name, record.tool, listNameCandidates),
    fully_qualified_name: isIdFor(record, fully_qualified_name) ? fully_qualified_name : record.id,
    description: description ?? '',
    ...fields,
    requirements: requirements ?? {},
    toolkit: {
      name: toCallableName(toolkitName, record.toolkit, (readable) => listNameCandidates(readable).slice(0, 1)),
      ...toolkitFields,
      version: record.version,
    },
    input: isJsonObject(input) ? input : { parameters: isJsonArray(input) ? input : [] },
  }
}

function toCallableName(
  name: Json | undefined,
  ownName: string,
  listCandidates: (readable: string) => readonly string[],
): string {
  if (typeof name !== 'string') return ownName
  return listCandidates(name).some((candidate) => candidate.toLowerCase() === ownName.toLowerCase()) ? name : ownName
}

function isIdFor({ toolkit, tool, version }: ToolRecord, qualified: Json | undefined): qualified is string {
  const qualifiedId = typeof qualified === 'string' ? parseToolId(qualified) : undefined
  return qualifiedId?.toolkit === toolkit && qualifiedId.tool === tool && (qualifiedId.range ?? version) === version
}

export function describeToolkit(toolkit: string): string {
  return `The tools of ${toolkit}`
}

function encodeParameters(input: JsonObject, hidden: readonly string[], losses: Loss[]): JsonObject[] {
  const required = new Set(isStringArray(input.required) ? input.required : [])
  const properties = isObject(input.properties) ? input.properties : {}
  for (const [keyword, value] of Object.entries(input)) {
    if (ROOT_KEYWORDS.includes(keyword) || (keyword === 'additionalProperties' && value === true)) continue
    losses.push({
      path: `/input${encodePointerStep(keyword)}`,
      reason: 'The RFC has parameters, and no schema of them all',
    })
  }
  if ([...required].some((name) => !Object.hasOwn(properties, name)))
    losses.push({ path: '/input/required', reason: 'Names a parameter that has no schema' })
  return Object.entries(properties).map(([name, schema]) => {
    const path = `/input/properties${encodePointerStep(name)}`
    return {
      name,
      required: required.has(name),
      ...encodeDescription(schema, path, losses),
      value_schema: encodeValueSchema(schema, path, losses),
      inferrable: !hidden.includes(name),
    }
  })
}

function encodeOutput(record: ToolRecord, losses: Loss[]): JsonObject {
  const { output } = record
  const toModes = (...usual: string[]) => ({ available_modes: [...usual, ...listFurtherModes(record)] })
  const isNullOnly = isJsonObject(output) && output.type === 'null' && Object.keys(output).length === 1
  if (output === null || isNullOnly) return toModes('null', 'error')
  if (output === true || (isObject(output) && Object.keys(output).every((keyword) => keyword === 'description')))
    return { ...toModes('value', 'error', 'null'), ...encodeDescription(output, '/output', losses) }
  const nonNullSchema = withoutNull(output)
  return {
    ...(nonNullSchema ? toModes('value', 'error', 'null') : toModes('value', 'error')),
    ...encodeDescription(output, '/output', losses),
    value_schema: encodeValueSchema(nonNullSchema ?? output, '/output', losses),
  }
}

function listFurtherModes(record: ToolRecord): readonly string[] {
  const isArtifact = givesArtifacts(record) || mayBeLarge(record.output)
  const mayAsk = record.requirements.authorization.length > 0 || needsApproval(record)
  return [...(isArtifact ? ['artifact'] : []), ...(mayAsk ? ['requires_authorization'] : [])]
}

/** Checks whether an output may be too large to return inline. Only a short scalar never is. */
function mayBeLarge(output: JsonSchema | null): boolean {
  if (output === null || output === false) return false
  if (output === true) return true
  const { type, enum: values, const: constant, maxLength } = output
  if (values !== undefined || constant !== undefined) return false
  const types = isStringArray(type) ? type : [type]
  if (typeof maxLength === 'number' && maxLength <= MODEL_INLINE_BYTES / LONGEST_CHARACTER)
    return types.some(isStructure)
  return types.some((name) => name === 'string' || isStructure(name))
}

/** Bytes of an escaped character in JSON. */
const LONGEST_CHARACTER = 6
const isStructure = (type: unknown) => type === undefined || type === 'object' || type === 'array'

function withoutNull(output: Json): JsonObject | undefined {
  if (!isJsonObject(output) || !Array.isArray(output.type) || output.type.length !== 2) return undefined
  const [type] = output.type.filter((name) => name !== 'null')
  if (!output.type.includes('null') || type === undefined) return undefined
  const { enum: allowed } = output
  if (!Array.isArray(allowed)) return { ...output, type }
  return allowed.includes(null) ? { ...output, type, enum: allowed.filter((each) => each !== null) } : undefined
}

function encodeDescription(schema: unknown, path: string, losses: Loss[]): { readonly description?: string } {
  if (!isObject(schema) || schema.description === undefined) return {}
  if (typeof schema.description === 'string') return { description: schema.description }
  losses.push({ path: `${path}/description`, reason: 'Is no text' })
  return {}
}
