import type { Codec, Given } from '../../core/tool/codec.ts'
import { isJsonObject, isObject, isTexts, type Json, type JsonObject } from '../../core/tool/json.ts'
import type { Problem } from '../../core/tool/problem.ts'
import { formatToolId, isNamePart, isVersion, parseToolId } from '../../core/tool/tool-id.ts'
import type { Definition, JsonSchema } from '../../core/tool/tool.ts'
import { encode } from './encode.ts'
import { objectAt, textAt } from './fields.ts'
import { exposedName } from './name.ts'
import { decodeParameters } from './parameters.ts'
import { decodeRequirements, providerOf } from './requirements.ts'
import { decodeValueSchema, orNull } from './value-schema.ts'

const FIELDS = {
  $schema: 'optional',
  name: 'required',
  fully_qualified_name: 'required',
  description: 'optional',
  toolkit: 'required',
  input: 'required',
  output: 'required',
  requirements: 'optional',
} as const
const MODES = ['value', 'error', 'null', 'artifact', 'requires_authorization']
/** What the RFC's tools say when they give a value, or nothing, and may fail. */
const USUAL_MODES = ['value', 'error', 'null']

/** Tool definitions of the Open Tool Calling RFC (its tool definition schema, version 1.0). */
export const openToolCalling: Codec = {
  dialect: 'open-tool-calling',
  references: 'none',
  recognises: (document) =>
    isObject(document) &&
    ('fully_qualified_name' in document || (isObject(document.input) && Array.isArray(document.input.parameters))),
  decode,
  encode,
}

function decode(document: Json, given: Given): ReturnType<Codec['decode']> {
  const problems: Problem[] = []
  const object = objectAt(document, '', FIELDS, problems)
  if (!object) return { ok: false, problems }
  textAt(object.$schema, '/$schema', problems)
  const description = textAt(object.description, '/description', problems) ?? ''
  const identity = decodeIdentity(object, given, problems)
  const input = decodeParameters(object.input, problems)
  const output = decodeOutput(object.output, problems)
  const requirements = decodeRequirements(object.requirements, problems)
  if (problems.length > 0 || !identity || !input || !output) return { ok: false, problems }

  const { toolkitDescription, ...name } = identity
  const provider = isJsonObject(object.requirements) ? providerOf(object.requirements.authorization) : undefined
  // What no other field of a record says, so that a document that differs is a record that differs
  const metadata: JsonObject = {
    ...(toolkitDescription === undefined ? {} : { toolkit_description: toolkitDescription }),
    ...(input.notInferrable.length === 0 ? {} : { non_inferrable_parameters: input.notInferrable }),
    ...(isUsual(output.modes) ? {} : { available_modes: output.modes }),
    ...(output.schema === null && output.description !== undefined ? { output_description: output.description } : {}),
    ...(provider ? { provider } : {}),
  }
  const definition: Definition = {
    ...name,
    name: exposedName(name),
    description,
    input: input.schema,
    output: output.schema,
    requirements,
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
    tags: [],
  }
  return {
    ok: true,
    value: {
      definitions: [definition],
      schemas: [
        { path: '/input', schema: definition.input },
        ...(output.schema === null ? [] : [{ path: '/output', schema: output.schema }]),
      ],
      warnings: [...input.warnings, ...output.warnings],
    },
  }
}

interface Identity {
  readonly toolkit: string
  readonly tool: string
  readonly version: string
  readonly toolkitDescription?: string
}

/** The tool's name, toolkit and version, which its fully qualified name must agree with when it is made of them. */
function decodeIdentity(object: JsonObject, given: Given, problems: Problem[]): Identity | undefined {
  const wrong = (path: string, message: string) => void problems.push({ path, message })
  const fields = { name: 'required', version: 'required', description: 'optional' } as const
  const kit = object.toolkit === undefined ? undefined : objectAt(object.toolkit, '/toolkit', fields, problems)
  const tool = textAt(object.name, '/name', problems)
  const toolkit = textAt(kit?.name, '/toolkit/name', problems)
  const version = textAt(kit?.version, '/toolkit/version', problems)
  const toolkitDescription = textAt(kit?.description, '/toolkit/description', problems)
  const qualified = textAt(object.fully_qualified_name, '/fully_qualified_name', problems)

  const part = 'Must be 1 to 64 of the characters A-Z, a-z, 0-9, _ and -'
  if (tool !== undefined && !isNamePart(tool)) wrong('/name', part)
  if (toolkit !== undefined && !isNamePart(toolkit)) wrong('/toolkit/name', part)
  if (version !== undefined && !isVersion(version)) wrong('/toolkit/version', 'Must be a version of the form x.y.z')
  if (given.toolkit !== undefined && toolkit !== undefined && given.toolkit !== toolkit) {
    wrong('/toolkit/name', `Must be the toolkit '${given.toolkit}' that was given beside the definition`)
  }
  if (given.version !== undefined && version !== undefined && given.version !== version) {
    wrong('/toolkit/version', `Must be the version '${given.version}' that was given beside the definition`)
  }
  if (tool === undefined || toolkit === undefined || version === undefined) return undefined
  const named = qualified === undefined ? undefined : parseToolId(qualified)
  if (named && (named.toolkit !== toolkit || named.tool !== tool || (named.selector ?? version) !== version)) {
    const wanted = formatToolId({ toolkit, tool }, named.selector === undefined ? undefined : version)
    wrong('/fully_qualified_name', `Must be '${wanted}', as the toolkit and the name say`)
  }
  return { toolkit, tool, version, ...(toolkitDescription === undefined ? {} : { toolkitDescription }) }
}

interface Output {
  readonly schema: Exclude<JsonSchema, boolean> | null
  readonly modes: readonly string[]
  readonly description?: string
  readonly warnings: readonly Problem[]
}

/** Without the mode `value` there is no output; an artifact may be anything; the mode `null` allows null. */
function decodeOutput(value: Json | undefined, problems: Problem[]): Output | undefined {
  if (value === undefined) return undefined
  const fields = { available_modes: 'required', description: 'optional', value_schema: 'optional' } as const
  const object = objectAt(value, '/output', fields, problems)
  if (!object) return undefined
  const description = textAt(object.description, '/output/description', problems)
  const { available_modes: modes, value_schema } = object
  const decoded =
    value_schema === undefined ? undefined : decodeValueSchema(value_schema, '/output/value_schema', problems)
  if (modes === undefined) return undefined
  if (!isTexts(modes) || modes.length === 0 || !modes.every((mode) => MODES.includes(mode))) {
    problems.push({
      path: '/output/available_modes',
      message: `Must be a non-empty array out of ${MODES.join(', ')}`,
    })
    return undefined
  }
  const said = description === undefined ? {} : { description }
  const warnings = decoded?.warnings ?? []
  if (modes.includes('artifact')) return { schema: said, modes, ...said, warnings }
  if (!modes.includes('value')) return { schema: null, modes, ...said, warnings }
  const schema = decoded?.schema ?? {}
  return { schema: { ...(modes.includes('null') ? orNull(schema) : schema), ...said }, modes, ...said, warnings }
}

/** Whether a record's output already tells these modes: a value or nothing, with or without null, and errors. */
function isUsual(modes: readonly string[]): boolean {
  if (new Set(modes).size !== modes.length || !modes.includes('error')) return false
  return modes.every((mode) => USUAL_MODES.includes(mode))
}
