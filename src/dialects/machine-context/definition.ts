import { ok } from '../../core/failure/failure.ts'
import type { Codec, DecodeOptions } from '../../core/tool/codec.ts'
import { jsonSchema, toolVersionReader } from '../../core/tool/definition-fields.ts'
import { isJsonObject, isJsonArray, isObject, type Json, type JsonObject } from '../../core/tool/json.ts'
import * as json from '../../core/tool/json-reader.ts'
import { SOURCE_NAME, sanitizeName, sanitizeNames } from '../../core/tool/sanitize-name.ts'
import { toDerivedName } from '../../core/tool/tool-id.ts'
import type { Problem } from '../../core/tool/problem.ts'
import { type Definition, NO_REQUIREMENTS } from '../../core/tool/tool.ts'
import { DIALECT, encode, listTags, TOOL_META_KEY, TOOLKIT_PREFIX } from './encoding.ts'
import { createParametersReader } from './parameters.ts'

/** Machine Context Protocol 1.0.0. Only `return.schema` may have references: parameters are not called JSON Schemas. */
export const machineContext: Codec = {
  dialect: DIALECT,
  references: 'local',
  recognizes: (document) => isObject(document) && 'capabilities' in document,
  decode,
  encode,
  countTools: (document) =>
    isJsonObject(document) && isJsonArray(document.capabilities) ? document.capabilities.length : 1,
}

type SharedFields = Pick<Definition, 'toolkit' | 'version' | 'securityLevel' | 'metadata' | 'tags'>

type Capability = json.InferOutput<ReturnType<typeof capability>>

function decode(document: Json, options: DecodeOptions): ReturnType<Codec['decode']> {
  const warnings: Problem[] = []
  const read = json.parseValue(toolDefinition(options), document, warnings)
  if (!read.ok) return read
  const { id: documentId, name, description, capabilities, ...fields } = read.value
  // Our lists add this prefix to a toolkit whose name is also the id of a document
  const isListed = documentId.startsWith(TOOLKIT_PREFIX)
  const id = isListed ? documentId.slice(TOOLKIT_PREFIX.length) : documentId
  const toolkit = options.toolkit ?? sanitizeName(id)
  if (options.toolkit === undefined && toolkit !== id) {
    const message = `Names no toolkit, so its tools are in '${toolkit}': give another beside the document as 'toolkit'`
    warnings.push({ path: '/id', message })
  }
  const sharedFields: SharedFields = { toolkit, ...fields, tags: listTags(fields.metadata ?? {}) ?? [] }
  const capabilityNames = capabilities.map((capability) => capability.name)
  const tools = sanitizeNames(capabilityNames)
  const definitions = capabilities.map((capability, index) => {
    const tool = tools.get(capability.name) ?? capability.name
    if (tool !== capability.name)
      warnings.push({ path: `/capabilities/${index}/name`, message: `Names no tool, so the tool is '${tool}'` })
    return buildDefinition(sharedFields, tool, capability, { id, name, description, names: capabilityNames })
  })
  return ok({
    definitions,
    sourceNames: capabilityNames,
    itself: { id, version: sharedFields.version },
    alternateToolkit: sanitizeName(name),
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

function toolDefinition(options: DecodeOptions) {
  return json.object({
    id: json.refine(SOURCE_NAME, (id) => (id === TOOLKIT_PREFIX ? 'Must name a toolkit' : undefined)),
    name: json.string({ min: 1 }),
    version: toolVersionReader(options),
    description: json.string({ min: 1 }),
    securityLevel: json.optional(json.integer(0, 10), 0),
    metadata: json.optional(METADATA),
    capabilities: json.array(capability(options), { min: 1 }),
  })
}

const METADATA = json.transform(json.anyObject, (metadata, { warnings }) => {
  if (!listTags(metadata))
    warnings.push({ path: '/tags', message: 'Gives no tags: wanted up to 32 texts of 1 to 64 characters' })
  return metadata
})

function capability(options: DecodeOptions) {
  return json.transform(
    json.object({
      name: json.unique(SOURCE_NAME),
      description: json.string({ min: 1 }),
      parameters: createParametersReader(options),
      return: json.optional(RETURN, { output: {} }),
    }),
    ({ name, description, parameters: input, return: returnFields }) => ({ name, description, input, ...returnFields }),
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
  sharedFields: SharedFields,
  tool: string,
  { name, description, input, output, returns }: Capability,
  document: Pick<Definition, 'name' | 'description'> & { readonly id: string; readonly names: readonly string[] },
): Definition {
  const isPlain = document.name === document.id && document.names.length === 1 && document.description === description
  const sourceFields = {
    ...(document.id === sharedFields.toolkit ? {} : { id: document.id }),
    ...(isPlain ? {} : { name: document.name, description: document.description, capabilities: document.names }),
    ...(name === tool ? {} : { capability: name }),
    ...(returns === undefined ? {} : { return: returns }),
  }
  return {
    ...sharedFields,
    tool,
    name: toDerivedName({ toolkit: sharedFields.toolkit, tool }),
    description,
    input,
    output,
    requirements: NO_REQUIREMENTS,
    ...(Object.keys(sourceFields).length > 0 ? { _meta: { [TOOL_META_KEY]: sourceFields } } : {}),
  }
}
