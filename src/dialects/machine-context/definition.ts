import type { Codec, Given } from '../../core/tool/codec.ts'
import { isJsonObject, isList, isObject, type Json, type JsonObject } from '../../core/tool/json.ts'
import { pointerStep, type Problem } from '../../core/tool/problem.ts'
import { isNamePart, isVersion } from '../../core/tool/tool-id.ts'
import { type Definition, NO_REQUIREMENTS } from '../../core/tool/tool.ts'
import { DIALECT, encode } from './encoding.ts'
import { modelName } from './model-name.ts'
import { decodeParameters } from './parameters.ts'
import { tagsOf } from './tags.ts'

const FIELDS = ['id', 'name', 'version', 'description', 'capabilities', 'securityLevel', 'metadata']
const REQUIRED = FIELDS.slice(0, 5)
const CAPABILITY_FIELDS = ['name', 'description', 'parameters', 'return']
const RETURN_FIELDS = ['description', 'schema']
const NAME_PART = 'Must be 1 to 64 of the characters A-Z, a-z, 0-9, _ and -'
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

/** A capability as it was read; what could not be read is as empty as can be, and a problem. */
interface Capability extends Pick<Definition, 'description' | 'input'> {
  readonly tool: string
  readonly output: JsonObject
  /** What `return` says of the value when its schema says something else. */
  readonly returns?: string
}

function decode(document: Json, given: Given): ReturnType<Codec['decode']> {
  if (!isJsonObject(document)) return { ok: false, problems: [{ path: '', message: 'Must be an object' }] }
  const problems: Problem[] = []
  const warnings: Problem[] = []
  const wrong = (path: string, message: string) => problems.push({ path, message })
  refuseUnknown(document, FIELDS, '', problems)
  for (const key of REQUIRED) if (document[key] === undefined) wrong(`/${key}`, 'Is required')

  const { id, name, version, description, capabilities, securityLevel = 0, metadata } = document
  if (id !== undefined && (typeof id !== 'string' || !isNamePart(id))) wrong('/id', NAME_PART)
  else if (id !== undefined && given.toolkit !== undefined && given.toolkit !== id) {
    wrong('/id', `Must be '${given.toolkit}', the toolkit that was given beside the definition`)
  }
  if (name !== undefined && (typeof name !== 'string' || name === ''))
    wrong('/name', 'Must be a text that is not empty')
  if (version !== undefined && (typeof version !== 'string' || !isVersion(version))) {
    wrong('/version', 'Must be a version of the form x.y.z')
  } else if (version !== undefined && given.version !== undefined && given.version !== version) {
    wrong('/version', `Must be the version '${given.version}' that was given beside the definition`)
  }
  if (description !== undefined && typeof description !== 'string') wrong('/description', 'Must be a string')
  if (
    typeof securityLevel !== 'number' ||
    !Number.isInteger(securityLevel) ||
    securityLevel < 0 ||
    securityLevel > 10
  ) {
    wrong('/securityLevel', 'Must be an integer from 0 to 10')
  }
  if (metadata !== undefined && !isJsonObject(metadata)) wrong('/metadata', 'Must be an object')
  const tags = isJsonObject(metadata) ? tagsOf(metadata) : []
  if (!tags)
    warnings.push({ path: '/metadata/tags', message: 'Gives no tags: wanted up to 32 texts of 1 to 64 characters' })
  const read = decodeCapabilities(capabilities, problems, warnings)

  if (
    problems.length > 0 ||
    typeof id !== 'string' ||
    typeof name !== 'string' ||
    typeof version !== 'string' ||
    typeof description !== 'string' ||
    typeof securityLevel !== 'number'
  ) {
    return { ok: false, problems }
  }
  const common: Common = {
    toolkit: id,
    version,
    securityLevel,
    ...(isJsonObject(metadata) ? { metadata } : {}),
    tags: tags ?? [],
  }
  const names = read.map(({ tool }) => tool)
  return {
    ok: true,
    value: {
      definitions: read.map((capability) => definitionOf(common, capability, { name, description, names })),
      schemas: read.map(({ output }, index) => ({ path: `/capabilities/${index}/return/schema`, schema: output })),
      warnings,
    },
  }
}

function decodeCapabilities(value: Json | undefined, problems: Problem[], warnings: Problem[]): readonly Capability[] {
  if (value === undefined) return []
  if (!isList(value) || value.length === 0) {
    problems.push({ path: '/capabilities', message: 'Must be an array of one or more capabilities' })
    return []
  }
  const places = new Map<string, number>()
  return value.map((capability, index) => {
    const path = `/capabilities/${index}`
    const read = decodeCapability(capability, path, problems, warnings)
    const before = places.get(read.tool.toLowerCase())
    if (before === undefined) places.set(read.tool.toLowerCase(), index)
    else if (read.tool !== '') {
      problems.push({
        path: `${path}/name`,
        message: `Must be unique in the tool ignoring case, as in /capabilities/${before}`,
      })
    }
    return read
  })
}

function decodeCapability(value: Json, path: string, problems: Problem[], warnings: Problem[]): Capability {
  const wrong = (at: string, message: string) => problems.push({ path: path + at, message })
  if (!isJsonObject(value)) {
    wrong('', 'Must be an object')
    return { tool: '', description: '', input: {}, output: {} }
  }
  refuseUnknown(value, CAPABILITY_FIELDS, path, problems)
  const { name, description } = value
  if (name === undefined) wrong('/name', 'Is required')
  else if (typeof name !== 'string' || !isNamePart(name)) wrong('/name', NAME_PART)
  if (description === undefined) wrong('/description', 'Is required')
  else if (typeof description !== 'string') wrong('/description', 'Must be a string')
  const parameters = decodeParameters(value.parameters, `${path}/parameters`)
  problems.push(...parameters.problems)
  warnings.push(...parameters.warnings)
  return {
    tool: typeof name === 'string' ? name : '',
    description: typeof description === 'string' ? description : '',
    input: parameters.input,
    ...decodeReturn(value.return, `${path}/return`, problems),
  }
}

/** The schema of the returned value. What is said of the value beside its schema becomes the schema's description. */
function decodeReturn(
  value: Json | undefined,
  path: string,
  problems: Problem[],
): Pick<Capability, 'output' | 'returns'> {
  if (value === undefined) return { output: {} }
  if (!isJsonObject(value)) {
    problems.push({ path, message: 'Must be an object' })
    return { output: {} }
  }
  refuseUnknown(value, RETURN_FIELDS, path, problems)
  const { description, schema = {} } = value
  if (description !== undefined && typeof description !== 'string') {
    problems.push({ path: `${path}/description`, message: 'Must be a string' })
  }
  if (!isJsonObject(schema)) {
    problems.push({ path: `${path}/schema`, message: 'Must be a JSON Schema object' })
    return { output: {} }
  }
  if (typeof description !== 'string' || description === schema.description) return { output: schema }
  return schema.description === undefined
    ? { output: { ...schema, description } }
    : { output: schema, returns: description }
}

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
    name: modelName(common.toolkit, tool),
    description,
    input,
    output,
    requirements: NO_REQUIREMENTS,
    ...(Object.keys(said).length > 0 ? { _meta: { [TOOL]: said } } : {}),
  }
}

function refuseUnknown(object: JsonObject, known: readonly string[], path: string, problems: Problem[]): void {
  for (const key of Object.keys(object)) {
    if (known.includes(key)) continue
    problems.push({ path: path + pointerStep(key), message: `Unknown field '${key}': wanted ${known.join(', ')}` })
  }
}
