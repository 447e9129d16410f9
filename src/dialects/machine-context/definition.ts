import type { Codec, Given } from '../../core/tool/codec.ts'
import { jsonSchema, namePart, toolkitName, toolVersion } from '../../core/tool/definition-fields.ts'
import { isObject, type Json, type JsonObject } from '../../core/tool/json.ts'
import {
  anyObject,
  check,
  integer,
  into,
  list,
  object,
  optional,
  type Reader,
  string,
  unique,
} from '../../core/tool/json-reader.ts'
import { joinedName } from '../../core/tool/name-suffix.ts'
import type { Problem } from '../../core/tool/problem.ts'
import { type Definition, NO_REQUIREMENTS } from '../../core/tool/tool.ts'
import { DIALECT, encode } from './encoding.ts'
import { parameters } from './parameters.ts'
import { tagsOf } from './tags.ts'

/** Where a tool keeps what its document says of it as a whole, so that this is part of every capability's digest. */
const TOOL = 'dev.switchboard/tool'

/**
 * Tool definitions of the Machine Context Protocol 1.0.0. A tool is a toolkit here, and each of its capabilities a tool.
 * References are allowed within `return.schema`, which the specification calls a JSON Schema, and in no parameter.
 */
export const machineContext: Codec = {
  dialect: DIALECT,
  references: 'local',
  recognises: (document) => isObject(document) && 'capabilities' in document,
  decode,
  encode,
}

/** What a tool says of itself beside its capabilities. */
interface Common {
  readonly toolkit: string
  readonly version: string
  readonly securityLevel: number
  readonly metadata?: JsonObject
  readonly tags: readonly string[]
}

/** A capability as it was read. */
interface Capability extends Pick<Definition, 'description' | 'input'> {
  readonly tool: string
  readonly output: JsonObject
  /** What `return` says of the value when its schema says something else. */
  readonly returns?: string
}

function decode(document: Json, given: Given): ReturnType<Codec['decode']> {
  const warnings: Problem[] = []
  const read = check(toolDefinition(given), document, warnings)
  if (!read.ok) return read
  const { id: toolkit, name, description, capabilities, ...rest } = read.value
  const common: Common = { toolkit, ...rest, tags: tagsOf(rest.metadata ?? {}) ?? [] }
  const names = capabilities.map(({ tool }) => tool)
  return {
    ok: true,
    value: {
      definitions: capabilities.map((each) => definitionOf(common, each, { name, description, names })),
      schemas: capabilities.map(({ output }, index) => ({
        path: `/capabilities/${index}/return/schema`,
        schema: output,
      })),
      warnings,
    },
  }
}

function toolDefinition(given: Given) {
  return object({
    id: toolkitName(given),
    name: string({ least: 1 }),
    version: toolVersion(given),
    description: string(),
    securityLevel: optional(integer(0, 10), 0),
    metadata: optional(METADATA),
    capabilities: list(capability(), { least: 1 }),
  })
}

const METADATA = into(anyObject, (metadata, { warnings }) => {
  if (!tagsOf(metadata)) {
    warnings.push({ path: '/tags', message: 'Gives no tags: wanted up to 32 texts of 1 to 64 characters' })
  }
  return metadata
})

/** Reads the capabilities of one tool. */
function capability(): Reader<Capability> {
  return into(
    object({
      name: unique(namePart, true),
      description: string(),
      parameters,
      return: optional(RETURN, { output: {} }),
    }),
    ({ name: tool, description, parameters: input, return: returned }) => ({ tool, description, input, ...returned }),
  )
}

/** Reads the schema of the returned value. What is said of the value beside it becomes the schema's description. */
const RETURN: Reader<Pick<Capability, 'output' | 'returns'>> = into(
  object({ description: optional(string()), schema: optional(jsonSchema, {}) }),
  ({ description, schema }) => {
    if (description === undefined || description === schema.description) return { output: schema }
    return schema.description === undefined
      ? { output: { ...schema, description } }
      : { output: schema, returns: description }
  },
)

function definitionOf(
  common: Common,
  { tool, description, input, output, returns }: Capability,
  whole: { readonly name: string; readonly description: string; readonly names: readonly string[] },
): Definition {
  // A tool of one capability that is named after its id and described by its capability says nothing of its own
  const isPlain = whole.name === common.toolkit && whole.names.length === 1 && whole.description === description
  const said = {
    ...(isPlain ? {} : { name: whole.name, description: whole.description, capabilities: whole.names }),
    ...(returns === undefined ? {} : { return: returns }),
  }
  return {
    ...common,
    tool,
    name: joinedName({ toolkit: common.toolkit, tool }),
    description,
    input,
    output,
    requirements: NO_REQUIREMENTS,
    ...(Object.keys(said).length > 0 ? { _meta: { [TOOL]: said } } : {}),
  }
}
