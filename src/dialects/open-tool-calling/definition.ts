import type { Codec, Given } from '../../core/tool/codec.ts'
import { namePart, toolkitName, toolVersion } from '../../core/tool/definition-fields.ts'
import { isJsonObject, isObject, isTexts, type Json, type JsonObject } from '../../core/tool/json.ts'
import { check, into, object, optional, parsed, type Reader, string, wrong } from '../../core/tool/json-reader.ts'
import { joinedName } from '../../core/tool/name-suffix.ts'
import { type Problem, quoted } from '../../core/tool/problem.ts'
import { formatToolId, parseToolId } from '../../core/tool/tool-id.ts'
import { type Definition, NO_REQUIREMENTS } from '../../core/tool/tool.ts'
import { encode } from './encode.ts'
import { parameters } from './parameters.ts'
import { providerOf, requirements } from './requirements.ts'
import { orNull, valueSchema } from './value-schema.ts'

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
  const warnings: Problem[] = []
  const read = check(toolDefinition(given), document, warnings)
  if (!read.ok) return read
  const { name: tool, description, toolkit, input, output, requirements: required } = read.value
  const provider =
    isJsonObject(document) && isJsonObject(document.requirements)
      ? providerOf(document.requirements.authorization)
      : undefined
  // What no other field of a record says, so that a document that differs is a record that differs
  const metadata: JsonObject = {
    ...(toolkit.description === undefined ? {} : { toolkit_description: toolkit.description }),
    ...(input.notInferrable.length === 0 ? {} : { non_inferrable_parameters: input.notInferrable }),
    ...(isUsual(output.modes) ? {} : { available_modes: output.modes }),
    ...(output.schema === null && output.description !== undefined ? { output_description: output.description } : {}),
    ...(provider ? { provider } : {}),
  }
  const name = { toolkit: toolkit.name, tool }
  const definition: Definition = {
    ...name,
    version: toolkit.version,
    name: joinedName(name),
    description,
    input: input.schema,
    output: output.schema,
    requirements: required,
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
      warnings,
    },
  }
}

function toolDefinition(given: Given) {
  return object(
    {
      $schema: optional(string()),
      name: namePart,
      fully_qualified_name: string(),
      description: optional(string(), ''),
      toolkit: object({ name: toolkitName(given), version: toolVersion(given), description: optional(string()) }),
      input: parameters(),
      output: OUTPUT,
      requirements: optional(requirements, NO_REQUIREMENTS),
    },
    {
      /** A fully qualified name that is made of toolkit, tool and version agrees with them. */
      rule({ fully_qualified_name: qualified = '' }, report, { name: tool, toolkit: kit }) {
        const { name: toolkit, version } = isObject(kit) ? kit : {}
        const named = parseToolId(qualified)
        if (!named || typeof tool !== 'string' || typeof toolkit !== 'string' || typeof version !== 'string') return
        if (named.toolkit === toolkit && named.tool === tool && (named.selector ?? version) === version) return
        const wanted = formatToolId({ toolkit, tool }, named.selector === undefined ? undefined : version)
        wrong(report, `Must be '${wanted}', as the toolkit and the name say`, '/fully_qualified_name')
      },
    },
  )
}

interface Output {
  readonly schema: JsonObject | null
  readonly modes: readonly string[]
  readonly description?: string
}

const SOME_MODES = parsed(`an array of one or more of ${quoted(MODES)}`, (value) =>
  isTexts(value) && value.length > 0 && value.every((mode) => MODES.includes(mode)) ? value : undefined,
)

/** Reads `output`. Without the mode `value` there is none; an artifact may be anything; the mode `null` allows null. */
const OUTPUT: Reader<Output> = into(
  object({ available_modes: SOME_MODES, description: optional(string()), value_schema: optional(valueSchema, {}) }),
  ({ available_modes: modes, value_schema, ...said }) => {
    if (modes.includes('artifact')) return { schema: said, modes, ...said }
    if (!modes.includes('value')) return { schema: null, modes, ...said }
    return { schema: { ...(modes.includes('null') ? orNull(value_schema) : value_schema), ...said }, modes, ...said }
  },
)

/** Whether a record's output already tells these modes: a value or nothing, with or without null, and errors. */
function isUsual(modes: readonly string[]): boolean {
  if (new Set(modes).size !== modes.length || !modes.includes('error')) return false
  return modes.every((mode) => USUAL_MODES.includes(mode))
}
