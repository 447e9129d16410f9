import type { Codec, DecodeOptions } from '../../core/tool/codec.ts'
import { ok } from '../../core/failure/failure.ts'
import { EXTENSION, identifierVersionReader } from '../../core/tool/definition-fields.ts'
import { isJsonObject, isObject, isStringArray, type Json, type JsonObject } from '../../core/tool/json.ts'
import * as json from '../../core/tool/json-reader.ts'
import { SOURCE_NAME } from '../../core/tool/sanitize-name.ts'
import { formatToolId, isNamePart, toDerivedName, parseToolId } from '../../core/tool/tool-id.ts'
import { type Problem, quoteList } from '../../core/tool/problem.ts'
import { type Definition, NO_REQUIREMENTS, type Requirements } from '../../core/tool/tool.ts'
import { inferVersion } from '../../core/tool/version.ts'
import { describeToolkit, encode } from './encode.ts'
import { toLocalName } from './names.ts'
import { getProvider, requirementsReader } from './requirements.ts'
import { definitionSchema } from './schema-uri.ts'
import { allowNull, buildParametersReader, valueSchema } from './value-schema.ts'

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

function decode(document: Json, options: DecodeOptions): ReturnType<Codec['decode']> {
  const warnings: Problem[] = []
  const read = json.parseValue(toolDefinition(options), addToolkit(document, options), warnings)
  if (!read.ok) return read
  const {
    id,
    identifier,
    name: displayName,
    description,
    toolkit,
    input,
    output,
    requirements: toolRequirements,
  } = read.value
  const provider =
    isJsonObject(document) && isJsonObject(document.requirements)
      ? getProvider(document.requirements.authorization)
      : undefined
  const { description: toolkitDescription } = toolkit
  // Kept so that different documents become different records
  const metadata: JsonObject = {
    ...(toolkitDescription === undefined || toolkitDescription === describeToolkit(id.toolkit)
      ? {}
      : { toolkit_description: toolkitDescription }),
    ...(input.notInferrable.length === 0 ? {} : { non_inferrable_parameters: input.notInferrable }),
    ...(areUsualModes(output.modes, toolRequirements) ? {} : { available_modes: output.modes }),
    ...(output.schema === null && output.description !== undefined ? { output_description: output.description } : {}),
    ...(provider ? { provider } : {}),
    ...(identifier === undefined ? {} : { identifier }),
  }
  if (id.toolkit !== toolkit.name || id.tool !== displayName)
    warnings.push({ path: '/name', message: `It is called '${formatToolId(id)}' here` })
  const definition: Definition = {
    ...id,
    version: toolkit.version,
    name: toDerivedName(id),
    ...(id.tool === displayName ? {} : { title: displayName }),
    description,
    input: input.schema,
    output: output.schema,
    requirements: toolRequirements,
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
    tags: [],
  }
  return ok({
    definitions: [definition],
    sourceNames: [displayName],
    schemas: [
      { path: '/input', schema: definition.input },
      ...(output.schema === null ? [] : [{ path: '/output', schema: output.schema }]),
    ],
    parameterLists: ['/input/parameters'],
    warnings,
    toolkitDescription: metadata['toolkit_description'] === undefined ? undefined : toolkitDescription,
  })
}

/** Adds the toolkit and version that were sent beside a document without a toolkit. */
function addToolkit(document: Json, { toolkit, version }: DecodeOptions): Json {
  if (!isJsonObject(document) || document.toolkit !== undefined || toolkit === undefined || version === undefined)
    return document
  const { name, id, fully_qualified_name: qualified = id } = document
  const localName = typeof name === 'string' ? toLocalName({ toolkit, tool: name }, '') : undefined
  const qualifiedName = qualified ?? (localName && formatToolId(localName))
  return {
    ...document,
    ...(qualifiedName === undefined ? {} : { fully_qualified_name: qualifiedName }),
    toolkit: { name: toolkit, version },
  }
}

/** An `id` in the form of a `fully_qualified_name` counts as one; any other is just "a unique identifier" (4.1). */
function toolDefinition(options: DecodeOptions) {
  const fields = json.object(
    {
      $schema: json.optional(definitionSchema),
      id: json.optional(SOURCE_NAME),
      name: json.string({ min: 1, max: MAX_TEXT }),
      version: json.optional(json.string()),
      fully_qualified_name: json.optional(json.string()),
      description: json.optional(json.string(), ''),
      toolkit: json.object(
        {
          name: json.string({ min: 1, max: MAX_TEXT }),
          version: identifierVersionReader(options),
          description: json.nullish(json.string()),
        },
        EXTENSION,
      ),
      input: buildParametersReader(),
      output: OUTPUT,
      requirements: json.nullish(requirementsReader, NO_REQUIREMENTS),
    },
    {
      ...EXTENSION,
      rule({ id, fully_qualified_name: qualified = id }, report, { name, toolkit, ...source }) {
        if (source.id === undefined && source.fully_qualified_name === undefined)
          json.addProblem(report, 'Is required', '/fully_qualified_name')
        if (id !== undefined && id !== qualified && parseToolId(id))
          json.addProblem(report, "Must be the 'fully_qualified_name', as it is written like one", '/id')
        const { name: toolkitName, version: identifier } = isObject(toolkit) ? toolkit : {}
        if (typeof source.version === 'string' && typeof identifier === 'string') {
          const [ownVersion, toolkitVersion] = [source.version, identifier].map((text) => inferVersion(text) ?? text)
          if (ownVersion !== toolkitVersion)
            json.addProblem(report, `Must be the version of its toolkit, '${identifier}', or left out`, '/version')
        }
        if (typeof toolkitName !== 'string') return
        if (options.toolkit !== undefined && options.toolkit !== toolkitName && isNamePart(toolkitName))
          json.addProblem(
            report,
            `Must be the toolkit '${options.toolkit}' that was given beside the definition`,
            '/toolkit/name',
          )
        const qualifiedId = qualified === undefined ? undefined : parseToolId(qualified)
        if (qualified === undefined || !qualifiedId || typeof name !== 'string' || typeof identifier !== 'string')
          return
        const localName = toLocalName({ toolkit: toolkitName, tool: name }, qualified)
        const version = inferVersion(identifier) ?? identifier
        const { range: selector = version } = qualifiedId
        if (
          qualifiedId.toolkit === localName.toolkit &&
          qualifiedId.tool === localName.tool &&
          (inferVersion(selector) ?? selector) === version
        )
          return
        const expectedName = formatToolId(localName, qualifiedId.range === undefined ? undefined : version)
        const path = qualified === id ? '/id' : '/fully_qualified_name'
        json.addProblem(report, `Must be '${expectedName}', as the toolkit and the name say`, path)
      },
    },
  )
  return json.transform(fields, ({ id = '', fully_qualified_name: qualified = id, ...definition }) => {
    const { name: toolkit } = definition.toolkit
    const localName = toLocalName({ toolkit, tool: definition.name }, qualified)
    const identifier = id === '' || parseToolId(id) ? undefined : id
    return {
      ...definition,
      identifier,
      id: isNamePart(toolkit) ? localName : { ...localName, toolkit: options.toolkit ?? localName.toolkit },
    }
  })
}

const MODES_READER = json.custom(`an array of one or more of ${quoteList(MODES)}`, (value) =>
  isStringArray(value) && value.length > 0 && value.every((mode) => MODES.includes(mode)) ? value : undefined,
)

/** Without the mode `value`, there is no output or an artifact with any content. The mode `null` allows null. */
const OUTPUT = json.transform(
  json.object(
    {
      available_modes: MODES_READER,
      description: json.nullish(json.string()),
      value_schema: json.nullish(valueSchema, {}),
    },
    EXTENSION,
  ),
  ({ available_modes: modes, value_schema, ...outputFields }) => {
    if (!modes.includes('value')) {
      const isAnyArtifact = modes.includes('artifact') && !modes.includes('null')
      return { schema: isAnyArtifact ? outputFields : null, modes, ...outputFields }
    }
    return {
      schema: { ...(modes.includes('null') ? allowNull(value_schema) : value_schema), ...outputFields },
      modes,
      ...outputFields,
    }
  },
)

function areUsualModes(modes: readonly string[], { authorization }: Requirements): boolean {
  if (new Set(modes).size !== modes.length || !modes.includes('error')) return false
  return modes.every((mode) => {
    return USUAL_MODES.includes(mode) || (mode === 'requires_authorization' && authorization.length > 0)
  })
}
