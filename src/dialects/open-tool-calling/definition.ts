import type { Codec, DecodeOptions } from '../../core/tool/codec.ts'
import { ok } from '../../core/failure/failure.ts'
import { EXTENSION, identifierVersionReader } from '../../core/tool/definition-fields.ts'
import { isJsonObject, isObject, isStringArray, type Json, type JsonObject } from '../../core/tool/json.ts'
import {
  parseValue,
  transform,
  nullish,
  object,
  optional,
  custom,
  string,
  addProblem,
} from '../../core/tool/json-reader.ts'
import { SOURCE_NAME } from '../../core/tool/sanitize-name.ts'
import { formatToolId, isNamePart, toDerivedName, parseToolId } from '../../core/tool/tool-id.ts'
import { type Problem, quoteList } from '../../core/tool/problem.ts'
import { type Definition, NO_REQUIREMENTS, type Requirements } from '../../core/tool/tool.ts'
import { inferVersion } from '../../core/tool/version.ts'
import { describeToolkit, encode } from './encode.ts'
import { toLocalName } from './names.ts'
import { getProvider, requirements } from './requirements.ts'
import { definitionSchema } from './schema-uri.ts'
import { orNull, buildParametersReader, valueSchema } from './value-schema.ts'

const MODES = ['value', 'error', 'null', 'artifact', 'requires_authorization']
const USUAL_MODES = ['value', 'error', 'null']

const MAX_TEXT = 256

export const openToolCalling: Codec = {
  dialect: 'open-tool-calling',
  references: 'none',
  recognizes: (document) =>
    isObject(document) &&
    ('fully_qualified_name' in document ||
      (isObject(document.input) && Array.isArray(document.input.parameters)) ||
      (Array.isArray(document.input) && ('toolkit' in document || 'output' in document))),
  decode,
  encode,
}

function decode(document: Json, given: DecodeOptions): ReturnType<Codec['decode']> {
  const warnings: Problem[] = []
  const read = parseValue(toolDefinition(given), inToolkit(document, given), warnings)
  if (!read.ok) return read
  const { id, identifier, name: shown, description, toolkit, input, output, requirements: required } = read.value
  const provider =
    isJsonObject(document) && isJsonObject(document.requirements)
      ? getProvider(document.requirements.authorization)
      : undefined
  const { description: about } = toolkit
  // Kept, so that a document that differs is a record that differs
  const metadata: JsonObject = {
    ...(about === undefined || about === describeToolkit(id.toolkit) ? {} : { toolkit_description: about }),
    ...(input.notInferrable.length === 0 ? {} : { non_inferrable_parameters: input.notInferrable }),
    ...(isUsual(output.modes, required) ? {} : { available_modes: output.modes }),
    ...(output.schema === null && output.description !== undefined ? { output_description: output.description } : {}),
    ...(provider ? { provider } : {}),
    ...(identifier === undefined ? {} : { identifier }),
  }
  if (id.toolkit !== toolkit.name || id.tool !== shown)
    warnings.push({ path: '/name', message: `It is called '${formatToolId(id)}' here` })
  const definition: Definition = {
    ...id,
    version: toolkit.version,
    name: toDerivedName(id),
    ...(id.tool === shown ? {} : { title: shown }),
    description,
    input: input.schema,
    output: output.schema,
    requirements: required,
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
    tags: [],
  }
  return ok({
    definitions: [definition],
    called: [shown],
    schemas: [
      { path: '/input', schema: definition.input },
      ...(output.schema === null ? [] : [{ path: '/output', schema: output.schema }]),
    ],
    parameterLists: ['/input/parameters'],
    warnings,
    toolkitDescription: metadata['toolkit_description'] === undefined ? undefined : about,
  })
}

/** Its toolkit may be given beside it, as that of a document which has no place for one. */
function inToolkit(document: Json, { toolkit, version }: DecodeOptions): Json {
  if (!isJsonObject(document) || document.toolkit !== undefined || toolkit === undefined || version === undefined)
    return document
  const { name, id, fully_qualified_name: qualified = id } = document
  const own = typeof name === 'string' ? toLocalName({ toolkit, tool: name }, '') : undefined
  const named = qualified ?? (own && formatToolId(own))
  return {
    ...document,
    ...(named === undefined ? {} : { fully_qualified_name: named }),
    toolkit: { name: toolkit, version },
  }
}

/** An `id` that is written as a `fully_qualified_name` is one; any other is "a unique identifier" (4.1) beside it. */
function toolDefinition(given: DecodeOptions) {
  const fields = object(
    {
      $schema: optional(definitionSchema),
      id: optional(SOURCE_NAME),
      name: string({ least: 1, most: MAX_TEXT }),
      version: optional(string()),
      fully_qualified_name: optional(string()),
      description: optional(string(), ''),
      toolkit: object(
        {
          name: string({ least: 1, most: MAX_TEXT }),
          version: identifierVersionReader(given),
          description: nullish(string()),
        },
        EXTENSION,
      ),
      input: buildParametersReader(),
      output: OUTPUT,
      requirements: nullish(requirements, NO_REQUIREMENTS),
    },
    {
      ...EXTENSION,
      rule({ id, fully_qualified_name: qualified = id }, report, { name, toolkit: said, ...source }) {
        if (source.id === undefined && source.fully_qualified_name === undefined)
          addProblem(report, 'Is required', '/fully_qualified_name')
        if (id !== undefined && id !== qualified && parseToolId(id))
          addProblem(report, "Must be the 'fully_qualified_name', as it is written like one", '/id')
        const { name: kit, version: identifier } = isObject(said) ? said : {}
        if (typeof source.version === 'string' && typeof identifier === 'string') {
          const [own, whole] = [source.version, identifier].map((text) => inferVersion(text) ?? text)
          if (own !== whole)
            addProblem(report, `Must be the version of its toolkit, '${identifier}', or left out`, '/version')
        }
        if (typeof kit !== 'string') return
        if (given.toolkit !== undefined && given.toolkit !== kit && isNamePart(kit))
          addProblem(
            report,
            `Must be the toolkit '${given.toolkit}' that was given beside the definition`,
            '/toolkit/name',
          )
        const named = qualified === undefined ? undefined : parseToolId(qualified)
        if (qualified === undefined || !named || typeof name !== 'string' || typeof identifier !== 'string') return
        const own = toLocalName({ toolkit: kit, tool: name }, qualified)
        const version = inferVersion(identifier) ?? identifier
        const { selector = version } = named
        if (
          named.toolkit === own.toolkit &&
          named.tool === own.tool &&
          (inferVersion(selector) ?? selector) === version
        )
          return
        const wanted = formatToolId(own, named.selector === undefined ? undefined : version)
        const path = qualified === id ? '/id' : '/fully_qualified_name'
        addProblem(report, `Must be '${wanted}', as the toolkit and the name say`, path)
      },
    },
  )
  return transform(fields, ({ id = '', fully_qualified_name: qualified = id, ...rest }) => {
    const { name: toolkit } = rest.toolkit
    const own = toLocalName({ toolkit, tool: rest.name }, qualified)
    const identifier = id === '' || parseToolId(id) ? undefined : id
    return { ...rest, identifier, id: isNamePart(toolkit) ? own : { ...own, toolkit: given.toolkit ?? own.toolkit } }
  })
}

const SOME_MODES = custom(`an array of one or more of ${quoteList(MODES)}`, (value) =>
  isStringArray(value) && value.length > 0 && value.every((mode) => MODES.includes(mode)) ? value : undefined,
)

/** Without the mode `value` there is no output, or an artifact, which may be anything; the mode `null` allows null. */
const OUTPUT = transform(
  object(
    { available_modes: SOME_MODES, description: nullish(string()), value_schema: nullish(valueSchema, {}) },
    EXTENSION,
  ),
  ({ available_modes: modes, value_schema, ...said }) => {
    if (!modes.includes('value')) {
      const isAny = modes.includes('artifact') && !modes.includes('null')
      return { schema: isAny ? said : null, modes, ...said }
    }
    return { schema: { ...(modes.includes('null') ? orNull(value_schema) : value_schema), ...said }, modes, ...said }
  },
)

function isUsual(modes: readonly string[], { authorization }: Requirements): boolean {
  if (new Set(modes).size !== modes.length || !modes.includes('error')) return false
  return modes.every((mode) => {
    return USUAL_MODES.includes(mode) || (mode === 'requires_authorization' && authorization.length > 0)
  })
}
