import type { Budget } from '../../core/tool/budget.ts'
import { ok } from '../../core/failure/failure.ts'
import type { Codec, DecodeOptions } from '../../core/tool/codec.ts'
import { jsonSchema, toolVersionReader } from '../../core/tool/definition-fields.ts'
import { isJsonObject, isJsonArray, isObject, type Json, type JsonObject } from '../../core/tool/json.ts'
import * as json from '../../core/tool/json-reader.ts'
import { SOURCE_NAME, sanitizeName, sanitizeNames } from '../../core/tool/sanitize-name.ts'
import { toDerivedName } from '../../core/tool/tool-id.ts'
import type { Problem } from '../../core/tool/problem.ts'
import { type Definition, NO_REQUIREMENTS } from '../../core/tool/tool.ts'
import { DIALECT, encode, listTags, TOOL, TOOLKIT_PREFIX } from './encoding.ts'
import { parametersReader } from './parameters.ts'

/** Machine Context Protocol 1.0.0. Only `return.schema` takes references: no parameter is called a JSON Schema. */
export const machineContext: Codec = {
  dialect: DIALECT,
  references: 'local',
  recognizes: (document) => isObject(document) && 'capabilities' in document,
  decode,
  encode,
  countTools: (document) =>
    isJsonObject(document) && isJsonArray(document.capabilities) ? document.capabilities.length : 1,
}

type Common = Pick<Definition, 'toolkit' | 'version' | 'securityLevel' | 'metadata' | 'tags'>

type Capability = json.InferOutput<ReturnType<typeof capability>>

function decode(document: Json, given: DecodeOptions, budget?: Budget): ReturnType<Codec['decode']> {
  const warnings: Problem[] = []
  const read = json.parseValue(toolDefinition(given), document, warnings, budget)
  if (!read.ok) return read
  const { id: own, name, description, capabilities, ...rest } = read.value
  // As lists write a toolkit whose name a document has
  const isListed = own.startsWith(TOOLKIT_PREFIX)
  const id = isListed ? own.slice(TOOLKIT_PREFIX.length) : own
  const toolkit = given.toolkit ?? sanitizeName(id)
  if (given.toolkit === undefined && toolkit !== id) {
    const message = `Names no toolkit, so its tools are in '${toolkit}': give another beside the document as 'toolkit'`
    warnings.push({ path: '/id', message })
  }
  const common: Common = { toolkit, ...rest, tags: listTags(rest.metadata ?? {}) ?? [] }
  const called = capabilities.map((each) => each.name)
  const tools = sanitizeNames(called)
  const definitions = capabilities.map((each, index) => {
    const tool = tools.get(each.name) ?? each.name
    if (tool !== each.name)
      warnings.push({ path: `/capabilities/${index}/name`, message: `Names no tool, so the tool is '${tool}'` })
    return buildDefinition(common, tool, each, { id, name, description, names: called })
  })
  return ok({
    definitions,
    called,
    itself: { id, version: common.version },
    elsewhere: sanitizeName(name),
    ...(isListed ? { unpublishable: [{ path: '/id', message: `Must not begin with '${TOOLKIT_PREFIX}'` }] } : {}),
    schemas: capabilities.map(({ output: schema }, index) => ({
      path: `/capabilities/${index}/return/schema`,
      schema,
    })),
    parameterLists: capabilities.map((_, index) => `/capabilities/${index}/parameters`),
    warnings,
    toolkitDescription: description,
  })
}

function toolDefinition(given: DecodeOptions) {
  return json.object({
    id: json.refine(SOURCE_NAME, (id) => (id === TOOLKIT_PREFIX ? 'Must name a toolkit' : undefined)),
    name: json.string({ least: 1 }),
    version: toolVersionReader(given),
    description: json.string({ least: 1 }),
    securityLevel: json.optional(json.integer(0, 10), 0),
    metadata: json.optional(METADATA),
    capabilities: json.array(capability(), { least: 1 }),
  })
}

const METADATA = json.transform(json.anyObject, (metadata, { warnings }) => {
  if (!listTags(metadata))
    warnings.push({ path: '/tags', message: 'Gives no tags: wanted up to 32 texts of 1 to 64 characters' })
  return metadata
})

function capability() {
  return json.transform(
    json.object({
      name: json.unique(SOURCE_NAME),
      description: json.string({ least: 1 }),
      parameters: parametersReader,
      return: json.optional(RETURN, { output: {} }),
    }),
    ({ name, description, parameters: input, return: returned }) => ({ name, description, input, ...returned }),
  )
}

const RETURN: json.Reader<{ readonly output: JsonObject; readonly returns?: string }> = json.transform(
  json.object({ description: json.optional(json.string()), schema: json.optional(jsonSchema, {}) }),
  ({ description, schema }) => {
    if (description === undefined || description === schema.description) return { output: schema }
    return schema.description === undefined
      ? { output: { ...schema, description } }
      : { output: schema, returns: description }
  },
)

function buildDefinition(
  common: Common,
  tool: string,
  { name, description, input, output, returns }: Capability,
  whole: Pick<Definition, 'name' | 'description'> & { readonly id: string; readonly names: readonly string[] },
): Definition {
  const isPlain = whole.name === whole.id && whole.names.length === 1 && whole.description === description
  const said = {
    ...(whole.id === common.toolkit ? {} : { id: whole.id }),
    ...(isPlain ? {} : { name: whole.name, description: whole.description, capabilities: whole.names }),
    ...(name === tool ? {} : { capability: name }),
    ...(returns === undefined ? {} : { return: returns }),
  }
  return {
    ...common,
    tool,
    name: toDerivedName({ toolkit: common.toolkit, tool }),
    description,
    input,
    output,
    requirements: NO_REQUIREMENTS,
    ...(Object.keys(said).length > 0 ? { _meta: { [TOOL]: said } } : {}),
  }
}
