import type { Codec, Encoded, Given, Loss } from '../../core/tool/codec.ts'
import { isJsonObject, isObject, isTexts, type Json, type JsonObject } from '../../core/tool/json.ts'
import { type Checked, pointerStep, type Problem } from '../../core/tool/problem.ts'
import { isVersion, parseToolId } from '../../core/tool/tool-id.ts'
import { type Definition, derivedSecurityLevel, type Requirements, type ToolRecord } from '../../core/tool/tool.ts'

const FIELDS = ['id', 'name', 'description', 'version', 'input_schema', 'output_schema', 'requirements']
const TOOL_ID = /^[A-Za-z0-9_]{1,64}\.[A-Za-z0-9_]{1,64}@/
const NAME = /^[A-Za-z0-9_-]{1,64}$/

/**
 * OXP 1.0 tool definitions, with `input_schema` as the specification has it (`{"parameters": <JSON Schema>}`) or flat, as
 * the published OpenAPI document has it.
 */
export const oxp: Codec = {
  dialect: 'oxp',
  references: 'none',
  recognises: (document) => isObject(document) && ('input_schema' in document || 'output_schema' in document),
  decode,
  encode: (record) => ({ document: sourceOf(record) ?? seedForm(record), losses: losses(record) }),
}

/** A record as `GET /tools` lists it: `input_schema` always as the specification has it. */
export function seedForm(record: ToolRecord): JsonObject {
  return withInputSchema(record, { parameters: record.input })
}

/** A record as the published OpenAPI document and its client libraries have it: `input_schema` flat. */
export function flatForm(record: ToolRecord): JsonObject {
  return withInputSchema(record, record.input)
}

export function encodeFlat(record: ToolRecord): Encoded {
  return { document: flatForm(record), losses: losses(record) }
}

function withInputSchema(record: ToolRecord, input_schema: Json): JsonObject {
  const source = sourceOf(record)
  if (source) return { ...source, input_schema }
  const { id, name, description, version, output } = record
  const output_schema = output === true ? {} : output === false ? { not: {} } : output
  const requirements = encodeRequirements(record.requirements)
  const document = { id, name, description, version, input_schema, output_schema }
  return requirements ? { ...document, requirements } : document
}

function sourceOf({ source }: ToolRecord): JsonObject | undefined {
  return source.dialect === 'oxp' && isJsonObject(source.document) ? source.document : undefined
}

function losses(record: ToolRecord): readonly Loss[] {
  if (sourceOf(record)) return []
  const reason = 'OXP 1.0 has no such field'
  const lost: Loss[] = []
  for (const field of ['title', 'annotations', 'icons', '_meta', 'metadata', 'examples'] as const) {
    if (record[field] !== undefined) lost.push({ path: `/${field}`, reason })
  }
  if (record.securityLevel !== derivedSecurityLevel(record.requirements)) lost.push({ path: '/securityLevel', reason })
  return lost
}

function encodeRequirements({ authorization, secrets, user_id }: Requirements): JsonObject | undefined {
  if (authorization.length === 0 && secrets.length === 0 && !user_id) return undefined
  return {
    ...(authorization.length > 0
      ? {
          authorization: authorization.map(({ id, oauth2 }) =>
            oauth2 ? { id, oauth2: { scopes: [...oauth2.scopes] } } : { id },
          ),
        }
      : {}),
    ...(secrets.length > 0 ? { secrets: secrets.map(({ id }) => ({ id })) } : {}),
    ...(user_id ? { user_id } : {}),
  }
}

function decode(document: Json, given: Given): ReturnType<Codec['decode']> {
  if (!isJsonObject(document)) return { ok: false, problems: [{ path: '', message: 'Must be an object' }] }
  const problems: Problem[] = []
  const wrong = (path: string, message: string) => problems.push({ path, message })
  for (const key of Object.keys(document)) {
    if (!FIELDS.includes(key)) wrong(pointerStep(key), `Unknown field '${key}': OXP 1.0 has ${FIELDS.join(', ')}`)
  }
  for (const key of FIELDS.slice(0, -1)) if (!(key in document)) wrong(`/${key}`, 'Is required')

  const { id, name, description, version, input_schema, output_schema } = document
  const asked = typeof id === 'string' && TOOL_ID.test(id) ? parseToolId(id) : undefined
  if (id !== undefined && (!asked || asked.selector === undefined || !isVersion(asked.selector))) {
    wrong('/id', "Must be 'Toolkit.Tool@x.y.z' of the characters A-Z, a-z, 0-9 and _")
  }
  if (version !== undefined && (typeof version !== 'string' || !isVersion(version))) {
    wrong('/version', 'Must be a version of the form x.y.z')
  } else if (asked?.selector !== undefined && version !== undefined && asked.selector !== version) {
    wrong('/version', `Must be the version in the id, '${asked.selector}'`)
  }
  if (asked && given.toolkit !== undefined && given.toolkit !== asked.toolkit) {
    wrong('/id', `Must be of the toolkit '${given.toolkit}' that was given beside the definition`)
  }
  if (given.version !== undefined && given.version !== version) {
    wrong('/version', `Must be the version '${given.version}' that was given beside the definition`)
  }
  if (name !== undefined && (typeof name !== 'string' || !NAME.test(name))) {
    wrong('/name', 'Must be 1 to 64 of the characters A-Z, a-z, 0-9, _ and -')
  }
  if (description !== undefined && typeof description !== 'string') wrong('/description', 'Must be a string')

  const input = input_schema === undefined ? undefined : inputOf(input_schema)
  if (input_schema !== undefined && !input) wrong('/input_schema', "Must be an object: {'parameters': <JSON Schema>}")
  if (input && input.schema.type !== undefined && input.schema.type !== 'object') {
    wrong(`${input.path}/type`, "Must be 'object': a tool's parameters have names")
  }
  const output = output_schema === undefined ? undefined : outputOf(output_schema)
  if (output_schema !== undefined && output === undefined) {
    wrong('/output_schema', 'Must be a JSON Schema object, or null for no output')
  }
  const requirements = decodeRequirements(document.requirements)
  if (!requirements.ok) problems.push(...requirements.problems)

  if (
    problems.length > 0 ||
    !asked?.selector ||
    typeof name !== 'string' ||
    typeof description !== 'string' ||
    !input ||
    output === undefined ||
    !requirements.ok
  ) {
    return { ok: false, problems }
  }
  const definition: Definition = {
    toolkit: asked.toolkit,
    tool: asked.tool,
    version: asked.selector,
    name,
    description,
    input: input.schema,
    output,
    requirements: requirements.value,
    tags: [],
  }
  return {
    ok: true,
    value: {
      definitions: [definition],
      schemas: [
        { path: input.path, schema: input.schema },
        ...(output === null ? [] : [{ path: '/output_schema', schema: output }]),
      ],
      warnings: undescribed(input),
    },
  }
}

interface InputSchema {
  readonly path: string
  readonly schema: JsonObject
}

/** The parameters' schema, unwrapped only when nothing beside `parameters` says that the object is itself the schema. */
function inputOf(input_schema: Json): InputSchema | undefined {
  if (!isJsonObject(input_schema)) return undefined
  const { parameters } = input_schema
  const isFlat = 'type' in input_schema || 'properties' in input_schema || parameters === undefined
  if (isFlat) return { path: '/input_schema', schema: input_schema }
  return isJsonObject(parameters) ? { path: '/input_schema/parameters', schema: parameters } : undefined
}

function outputOf(output_schema: Json): JsonObject | null | undefined {
  return output_schema === null || isJsonObject(output_schema) ? output_schema : undefined
}

/**
 * "Each parameter MUST contain a description field", says OXP 1.0. Its published schema does not ask for it, and tools in
 * use lack it, so publication only says so.
 */
function undescribed({ path, schema }: InputSchema): readonly Problem[] {
  if (!isObject(schema.properties)) return []
  return Object.entries(schema.properties)
    .filter(([, parameter]) => isObject(parameter) && typeof parameter.description !== 'string')
    .map(([name]) => ({
      path: `${path}/properties${pointerStep(name)}`,
      message: `Parameter '${name}' has no description`,
    }))
}

/** OXP 1.0, "Requirements". Fields it does not name are kept in the document and mean nothing. */
function decodeRequirements(value: Json | undefined): Checked<Requirements> {
  if (value === undefined) return { ok: true, value: { authorization: [], secrets: [], user_id: false } }
  if (!isJsonObject(value)) return { ok: false, problems: [{ path: '/requirements', message: 'Must be an object' }] }
  const problems: Problem[] = []
  const authorization: { id: string; oauth2?: { scopes: string[] } }[] = []
  const secrets: { id: string }[] = []
  entries(value.authorization, '/requirements/authorization', problems).forEach(({ id, path, entry }) => {
    const { oauth2 } = entry
    if (oauth2 === undefined) return authorization.push({ id })
    const scopes = isJsonObject(oauth2) ? (oauth2.scopes ?? []) : undefined
    if (!isTexts(scopes))
      return problems.push({ path: `${path}/oauth2/scopes`, message: 'Must be an array of strings' })
    return authorization.push({ id, oauth2: { scopes: [...scopes] } })
  })
  entries(value.secrets, '/requirements/secrets', problems).forEach(({ id }) => secrets.push({ id }))
  const { user_id = false } = value
  if (typeof user_id !== 'boolean') {
    return { ok: false, problems: [...problems, { path: '/requirements/user_id', message: 'Must be a boolean' }] }
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, value: { authorization, secrets, user_id } }
}

function entries(
  value: Json | undefined,
  path: string,
  problems: Problem[],
): { readonly id: string; readonly path: string; readonly entry: JsonObject }[] {
  if (value === undefined) return []
  if (!Array.isArray(value)) {
    problems.push({ path, message: 'Must be an array' })
    return []
  }
  return value.flatMap((entry: Json, index) => {
    const at = `${path}/${index}`
    if (isJsonObject(entry) && typeof entry.id === 'string' && /^[\x21-\x7e]{1,128}$/.test(entry.id)) {
      return [{ id: entry.id, path: at, entry }]
    }
    problems.push({ path: `${at}/id`, message: 'Must be a text of 1 to 128 visible ASCII characters' })
    return []
  })
}
