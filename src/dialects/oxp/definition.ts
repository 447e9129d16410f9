import type { Codec, Encoded, Given, Loss } from '../../core/tool/codec.ts'
import { inputSchema, namePart, requirementId, toolVersion } from '../../core/tool/definition-fields.ts'
import { isJsonObject, isObject, type Json, type JsonObject } from '../../core/tool/json.ts'
import {
  boolean,
  check,
  list,
  nullish,
  object,
  optional,
  parsed,
  type Reader,
  readAt,
  type Report,
  string,
  strings,
  unfit,
  WRONG,
  wrong,
} from '../../core/tool/json-reader.ts'
import { offered, withheld } from '../../core/tool/metadata.ts'
import { pointerStep, type Problem } from '../../core/tool/problem.ts'
import { type AskedId, isVersion, parseToolId } from '../../core/tool/tool-id.ts'
import {
  type AuthorizationRequirement,
  derivedSecurityLevel,
  NO_REQUIREMENTS,
  type Requirements,
  type ToolRecord,
} from '../../core/tool/tool.ts'

const TOOL_ID = /^[A-Za-z0-9_]{1,64}\.[A-Za-z0-9_]{1,64}@/

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
  return withInputSchema(record, { parameters: offered(record).input })
}

/** A record as the published OpenAPI document and its client libraries have it: `input_schema` flat. */
export function flatForm(record: ToolRecord): JsonObject {
  return withInputSchema(record, offered(record).input)
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
  const lost: Loss[] = [...withheld(record)]
  for (const field of ['title', 'annotations', 'icons', '_meta', 'metadata', 'examples'] as const) {
    if (record[field] !== undefined) lost.push({ path: `/${field}`, reason })
  }
  if (record.securityLevel !== derivedSecurityLevel(record.requirements)) lost.push({ path: '/securityLevel', reason })
  return lost
}

function encodeRequirements({ authorization, secrets, user_id }: Requirements): JsonObject | undefined {
  if (authorization.length === 0 && secrets.length === 0 && !user_id) return undefined
  return {
    ...(authorization.length > 0 ? { authorization: authorization.map((each) => ({ ...each })) } : {}),
    ...(secrets.length > 0 ? { secrets: secrets.map(({ id }) => ({ id })) } : {}),
    ...(user_id ? { user_id } : {}),
  }
}

function decode(document: Json, given: Given): ReturnType<Codec['decode']> {
  const read = check(toolDefinition(given), document)
  if (!read.ok) return read
  const { id, input_schema: input, output_schema: output, ...fields } = read.value
  return {
    ok: true,
    value: {
      definitions: [{ ...fields, toolkit: id.toolkit, tool: id.tool, input: input.schema, output, tags: [] }],
      schemas: [
        { path: input.path, schema: input.schema },
        ...(output === null ? [] : [{ path: '/output_schema', schema: output }]),
      ],
      warnings: undescribed(input),
    },
  }
}

function toolDefinition(given: Given) {
  return object(
    {
      id: ID,
      name: namePart,
      description: string(),
      version: toolVersion(given),
      input_schema: INPUT_SCHEMA,
      output_schema: OUTPUT_SCHEMA,
      requirements: optional(REQUIREMENTS, NO_REQUIREMENTS),
    },
    {
      rule({ version }, report, { id }) {
        const { toolkit, selector } = parseId(id) ?? {}
        if (toolkit !== undefined && given.toolkit !== undefined && given.toolkit !== toolkit) {
          wrong(report, `Must be of the toolkit '${given.toolkit}' that was given beside the definition`, '/id')
        }
        if (selector !== undefined && version !== undefined && selector !== version) {
          wrong(report, `Must be the version in the id, '${selector}'`, '/version')
        }
      },
    },
  )
}

const ID = parsed("'Toolkit.Tool@x.y.z' of the characters A-Z, a-z, 0-9 and _", (value) => {
  const id = parseId(value)
  return id?.selector !== undefined && isVersion(id.selector) ? id : undefined
})

function parseId(value: unknown): AskedId | undefined {
  return typeof value === 'string' && TOOL_ID.test(value) ? parseToolId(value) : undefined
}

interface InputSchema {
  readonly path: string
  readonly schema: JsonObject
}

/** Reads the parameters' schema, unwrapped only when nothing beside `parameters` says that the object is itself the schema. */
const INPUT_SCHEMA: Reader<InputSchema> = (value, report) => {
  const isFlat = isJsonObject(value) && ('type' in value || 'properties' in value || value.parameters === undefined)
  if (isFlat) {
    const schema = inputSchema(value, report)
    return schema === WRONG ? WRONG : { path: '/input_schema', schema }
  }
  if (!isJsonObject(value) || !isJsonObject(value.parameters)) {
    return unfit(report, "an object: {'parameters': <JSON Schema>}", value)
  }
  const schema = readAt('parameters', inputSchema, value.parameters, report)
  return schema === WRONG ? WRONG : { path: '/input_schema/parameters', schema }
}

const OUTPUT_SCHEMA: Reader<JsonObject | null> = parsed('a JSON Schema object, or null for no output', (value) =>
  value === null || isJsonObject(value) ? value : undefined,
)

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

const SCOPES = object({ scopes: nullish(strings, []) }, { unknown: 'ignore' })
const AUTHORIZATION: Reader<AuthorizationRequirement> = named({
  id: requirementId,
  oauth2: optional((value, report) =>
    isObject(value) ? SCOPES(value, report) : wrong(report, 'Is required', '/scopes'),
  ),
})
const SECRET = named({ id: requirementId })

/** What is no object at all lacks the id of one. */
function named<T extends object>(readers: { readonly [K in keyof T]: Reader<T[K]> }) {
  const reader = object(readers, { unknown: 'ignore' })
  return (value: unknown, report: Report) => reader(isObject(value) ? value : {}, report)
}

/** OXP 1.0, "Requirements". Fields it does not name are kept in the document and mean nothing. */
const REQUIREMENTS: Reader<Requirements> = object(
  {
    authorization: optional(list(AUTHORIZATION), []),
    secrets: optional(list(SECRET), []),
    user_id: optional(boolean, false),
  },
  { unknown: 'ignore' },
)
