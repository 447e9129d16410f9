import type { DecodeOptions, Loss } from '../../core/tool/codec.ts'
import { isJsonObject, isJsonArray, type Json, type JsonObject } from '../../core/tool/json.ts'
import * as json from '../../core/tool/json-reader.ts'
import { encodePointerStep, parsePointer } from '../../core/tool/problem.ts'
import { hasReferences } from '../../core/schema/expand.ts'
import { checkSchema } from '../../core/schema/publishable.ts'
import { MAX_POINTER } from '../../core/schema/subschemas.ts'

/** The specification's types ("Parameter Types") that JSON Schema has too; `any` means no type. */
const TYPES = ['string', 'number', 'boolean', 'object', 'array']
const KEYWORDS = {
  default: json.anyJson,
  enum: json.anyJson,
  format: json.anyJson,
  properties: json.anyJson,
  items: json.anyJson,
}

const SCHEMA_KEYWORDS = ['properties', 'items']

/** Reads "Capabilities". Checks schemas here, so that problems are reported at their place in the document. */
export const createParametersReader =
  ({ budget }: DecodeOptions): json.Reader<JsonObject> =>
  (value, report) => {
    if (value === undefined) return { type: 'object' }
    const read = json.array(createParameterReader(json.unique(json.string({ min: 1 }))))(value, report)
    if (read === json.INVALID_VALUE) return json.INVALID_VALUE
    const required = read.filter(({ isRequired }) => isRequired).map(({ name }) => name)
    const input = {
      type: 'object',
      properties: Object.fromEntries(read.map(({ name, schema }) => [name, schema])),
      ...(required.length > 0 ? { required } : {}),
    }
    // A parameter is not a separate document, so a reference inside it has no target
    const problems = checkSchema(input, { references: 'none', budget })
    for (const { path, message } of problems) {
      const [keyword, name, ...inner] = parsePointer(path) ?? []
      if (keyword === 'required') continue
      const index = keyword === 'properties' ? read.findIndex((each) => each.name === name) : -1
      json.addProblem(report, message, index < 0 ? '' : [index, ...inner].map(encodePointerStep).join(''))
    }
    return problems.length > 0 ? json.INVALID_VALUE : input
  }

function createParameterReader(name: json.Reader<string>) {
  return json.transform(
    json.object({
      name,
      description: json.string(),
      type: json.enumReader([...TYPES, 'any']),
      required: requiredReader,
      ...KEYWORDS,
    }),
    ({ name: parameterName, description, type, required, ...keywords }) => ({
      name: parameterName,
      isRequired: required,
      // A parameter without a description has an empty one, because the field is required
      schema: { ...(type === 'any' ? {} : { type }), ...(description === '' ? {} : { description }), ...keywords },
    }),
  )
}

const requiredReader: json.Reader<boolean> = (value, report) => {
  if (value !== undefined) return json.boolean(value, report)
  report.warnings.push({ path: '', message: 'Is not said, and counts as false' })
  return false
}

export function encodeParameters(input: JsonObject) {
  const losses: Loss[] = []
  const addLoss = (path: string, reason: string) => losses.push({ path: `/input${path}`, reason })
  for (const key of Object.keys(input)) {
    if (!['type', 'properties', 'required'].includes(key))
      addLoss(encodePointerStep(key), 'Parameters have no such keyword')
  }
  const properties = isJsonObject(input.properties) ? input.properties : {}
  const required = new Set(isJsonArray(input.required) ? input.required : [])
  const parameters: JsonObject[] = []
  for (const [name, schema] of Object.entries(properties)) {
    const path = `/properties${encodePointerStep(name)}`
    if (name === '') addLoss(path, 'A parameter must have a name')
    else if (schema === false) addLoss(path, 'A parameter cannot be forbidden')
    else parameters.push(encodeParameter(name, isJsonObject(schema) ? schema : {}, required.has(name), path, addLoss))
  }
  for (const [index, name] of [...required].entries()) {
    if (typeof name !== 'string' || Object.hasOwn(properties, name)) continue
    if (`/properties${encodePointerStep(name)}`.length > MAX_POINTER) {
      addLoss(`/required${encodePointerStep(index)}`, 'A parameter cannot have so long a name')
      continue
    }
    addLoss(
      `/required${encodePointerStep(index)}`,
      `A parameter needs a type, so '${name}' is written as one of type any`,
    )
    if (name !== '') parameters.push({ name, description: '', type: 'any', required: true })
  }
  const hasParameters = input.properties !== undefined || parameters.length > 0
  return { parameters: hasParameters ? parameters : undefined, losses }
}

function encodeParameter(
  name: string,
  schema: JsonObject,
  required: boolean,
  path: string,
  addLoss: (path: string, reason: string) => void,
): JsonObject {
  const { type, description } = schema
  const keywords: Record<string, Json> = {}
  for (const [keyword, value] of Object.entries(schema)) {
    if (value === undefined || keyword === 'type' || keyword === 'description') continue
    const keywordPath = path + encodePointerStep(keyword)
    if (!Object.hasOwn(KEYWORDS, keyword)) addLoss(keywordPath, 'A parameter has no such keyword')
    else if (SCHEMA_KEYWORDS.includes(keyword) && hasReferences({ [keyword]: value }))
      addLoss(keywordPath, 'A parameter cannot refer to other schemas')
    else keywords[keyword] = value
  }
  if (description === '') addLoss(`${path}/description`, 'An empty description counts as none')
  const writtenType = type === 'integer' ? 'number' : typeof type === 'string' && TYPES.includes(type) ? type : 'any'
  if (type !== undefined && type !== writtenType)
    addLoss(`${path}/type`, `A parameter's type is one of ${TYPES.join(', ')}, so it is written as ${writtenType}`)
  return {
    name,
    description: typeof description === 'string' ? description : '',
    type: writtenType,
    required,
    ...keywords,
  }
}
