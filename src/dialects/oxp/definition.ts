import type { Codec, DecodeOptions } from '../../core/tool/codec.ts'
import {
  EXTENSION,
  inputSchema,
  namePart,
  requirementId,
  toolVersionReader,
} from '../../core/tool/definition-fields.ts'
import { isJsonObject, isObject, type Json, type JsonObject } from '../../core/tool/json.ts'
import * as json from '../../core/tool/json-reader.ts'
import { encodePointerStep, type Problem } from '../../core/tool/problem.ts'
import { type ToolIdRef, isSimpleVersion, parseToolId } from '../../core/tool/tool-id.ts'
import { type AuthorizationRequirement, NO_REQUIREMENTS, type Requirements } from '../../core/tool/tool.ts'
import { encode } from './encode.ts'

const TOOL_ID = /^[A-Za-z0-9_]{1,64}\.[A-Za-z0-9_]{1,64}@/

export const oxp: Codec = {
  dialect: 'oxp',
  references: 'none',
  recognizes: (document) => isObject(document) && ('input_schema' in document || 'output_schema' in document),
  decode,
  encode,
}

function decode(document: Json, options: DecodeOptions): ReturnType<Codec['decode']> {
  const warnings: Problem[] = []
  const read = json.parseValue(toolDefinition(options), document, warnings)
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
      warnings: [...warnings, ...findUndescribedParameters(input)],
    },
  }
}

function toolDefinition(options: DecodeOptions) {
  return json.object(
    {
      id: ID,
      name: namePart,
      description: json.string(),
      version: json.checkAlso(VERSION, toolVersionReader(options)),
      input_schema: INPUT_SCHEMA,
      output_schema: OUTPUT_SCHEMA,
      requirements: json.optional(createRequirementsReader(), NO_REQUIREMENTS),
    },
    {
      rule({ version }, report, { id }) {
        const { toolkit, range: selector } = parseId(id) ?? {}
        if (toolkit !== undefined && options.toolkit !== undefined && options.toolkit !== toolkit)
          json.addProblem(
            report,
            `Must be of the toolkit '${options.toolkit}' that was given beside the definition`,
            '/id',
          )
        if (selector !== undefined && version !== undefined && selector !== version)
          json.addProblem(report, `Must be the version in the id, '${selector}'`, '/version')
      },
    },
  )
}

const VERSION = json.stringMatching('a version of the form x.y.z', isSimpleVersion)

const ID = json.custom("'Toolkit.Tool@x.y.z', each name 1 to 64 characters of A-Z, a-z, 0-9 and _", (value) => {
  const id = parseId(value)
  return id?.range !== undefined && isSimpleVersion(id.range) ? id : undefined
})

function parseId(value: unknown): ToolIdRef | undefined {
  return typeof value === 'string' && TOOL_ID.test(value) ? parseToolId(value) : undefined
}

/** "Each parameter in parameters MUST be a valid JSON Schema object": true and false are schemas, but not objects. */
const PARAMETERS = json.checkAlso(inputSchema, (value, report) => {
  if (!isObject(value) || !isObject(value.properties)) return
  for (const [name, parameter] of Object.entries(value.properties)) {
    if (typeof parameter !== 'boolean') continue
    json.addProblem(report, `Must be a JSON Schema object, got ${parameter}`, `/properties${encodePointerStep(name)}`)
  }
})

const WRAPPER = json.object({ parameters: PARAMETERS })

/** `parameters` is not a JSON Schema keyword, so an object with it is OXP's wrapper, whatever else it has. */
const INPUT_SCHEMA = (value: unknown, report: json.ReadContext) => {
  if (!isJsonObject(value)) return json.addTypeProblem(report, "an object: {'parameters': <JSON Schema>}", value)
  const isWrapped = value.parameters !== undefined
  const read = isWrapped
    ? json.transform(WRAPPER, ({ parameters }) => parameters)(value, report)
    : PARAMETERS(value, report)
  if (read === json.INVALID_VALUE) return json.INVALID_VALUE
  return { path: isWrapped ? '/input_schema/parameters' : '/input_schema', schema: read }
}

const OUTPUT_SCHEMA: json.Reader<JsonObject | null> = json.custom(
  'a JSON Schema object, or null for no output',
  (value) => (value === null || isJsonObject(value) ? value : undefined),
)

/** "Each parameter MUST contain a description field": only a warning, because tools in use lack it. */
function findUndescribedParameters({ path, schema }: json.InferOutput<typeof INPUT_SCHEMA>): readonly Problem[] {
  if (!isObject(schema.properties)) return []
  return Object.entries(schema.properties)
    .filter(([, parameter]) => isObject(parameter) && typeof parameter.description !== 'string')
    .map(([name]) => ({
      path: `${path}/properties${encodePointerStep(name)}`,
      message: `Parameter '${name}' has no description`,
    }))
}

const SCOPES = json.object({ scopes: json.nullish(json.stringArray, []) }, EXTENSION)

const INTENDED_FIELDS = { scope: 'oauth2', scopes: 'oauth2', provider: 'id', provider_id: 'id', name: 'id', key: 'id' }

function requirementReader<T extends object>(readers: { readonly [K in keyof T]: json.Reader<T[K]> }) {
  const reader = json.object(readers, { ...EXTENSION, misnomers: INTENDED_FIELDS })
  return (value: unknown, report: json.ReadContext) => reader(isObject(value) ? value : {}, report)
}

function createRequirementsReader(): json.Reader<Requirements> {
  const authorization: json.Reader<AuthorizationRequirement> = requirementReader({
    id: json.unique(requirementId),
    oauth2: json.optional((value, report) =>
      isObject(value) ? SCOPES(value, report) : json.addProblem(report, 'Is required', '/scopes'),
    ),
  })
  return json.object(
    {
      authorization: json.optional(json.array(authorization), []),
      secrets: json.optional(json.array(requirementReader({ id: json.unique(requirementId) })), []),
      user_id: json.optional(json.boolean, false),
    },
    { ...EXTENSION, misnomers: { auth: 'authorization', oauth2: 'authorization', user: 'user_id' } },
  )
}
