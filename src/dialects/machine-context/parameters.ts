import type { Loss } from '../../core/tool/codec.ts'
import { isJsonObject, isJsonArray, type Json, type JsonObject } from '../../core/tool/json.ts'
import * as json from '../../core/tool/json-reader.ts'
import { encodePointerStep, parsePointer } from '../../core/tool/problem.ts'
import { hasReferences } from '../../core/schema/expand.ts'
import { checkSchema } from '../../core/schema/publishable.ts'
import { MAX_POINTER } from '../../core/schema/subschemas.ts'

/** The specification's types ("Parameter Types") that JSON Schema shares; `any` is no type at all. */
const TYPES = ['string', 'number', 'boolean', 'object', 'array']
const KEYWORDS = {
  default: json.anyJson,
  enum: json.anyJson,
  format: json.anyJson,
  properties: json.anyJson,
  items: json.anyJson,
}

const HOLDERS = ['properties', 'items']

/** Reads "Capabilities". Schemas are checked here, so that problems are reported where the document has them. */
export const parametersReader: json.Reader<JsonObject> = (value, report) => {
  if (value === undefined) return { type: 'object' }
  const read = json.array(parameter(json.unique(json.string({ least: 1 }))))(value, report)
  if (read === json.INVALID_VALUE) return json.INVALID_VALUE
  const required = read.filter(({ isRequired }) => isRequired).map(({ name }) => name)
  const input = {
    type: 'object',
    properties: Object.fromEntries(read.map(({ name, schema }) => [name, schema])),
    ...(required.length > 0 ? { required } : {}),
  }
  // A parameter is no document of its own, so there is nothing a reference inside it could mean
  const problems = checkSchema(input, { references: 'none', budget: report.budget() })
  for (const { path, message } of problems) {
    const [keyword, name, ...inner] = parsePointer(path) ?? []
    if (keyword === 'required') continue
    const index = keyword === 'properties' ? read.findIndex((each) => each.name === name) : -1
    json.addProblem(report, message, index < 0 ? '' : [index, ...inner].map(encodePointerStep).join(''))
  }
  return problems.length > 0 ? json.INVALID_VALUE : input
}

function parameter(name: json.Reader<string>) {
  return json.transform(
    json.object({
      name,
      description: json.string(),
      type: json.enumReader([...TYPES, 'any']),
      required: isRequired,
      ...KEYWORDS,
    }),
    ({ name: own, description, type, required, ...keywords }) => ({
      name: own,
      isRequired: required,
      // An empty description is how a parameter without one is written, since the field is required
      schema: { ...(type === 'any' ? {} : { type }), ...(description === '' ? {} : { description }), ...keywords },
    }),
  )
}

const isRequired: json.Reader<boolean> = (value, report) => {
  if (value !== undefined) return json.boolean(value, report)
  report.warnings.push({ path: '', message: 'Is not said, and counts as false' })
  return false
}

export function encodeParameters(input: JsonObject) {
  const losses: Loss[] = []
  const lose = (path: string, reason: string) => losses.push({ path: `/input${path}`, reason })
  for (const key of Object.keys(input)) {
    if (!['type', 'properties', 'required'].includes(key))
      lose(encodePointerStep(key), 'Parameters have no such keyword')
  }
  const properties = isJsonObject(input.properties) ? input.properties : {}
  const required = new Set(isJsonArray(input.required) ? input.required : [])
  const parametersReader: JsonObject[] = []
  for (const [name, schema] of Object.entries(properties)) {
    const at = `/properties${encodePointerStep(name)}`
    if (name === '') lose(at, 'A parameter must have a name')
    else if (schema === false) lose(at, 'A parameter cannot be forbidden')
    else parametersReader.push(encodeParameter(name, isJsonObject(schema) ? schema : {}, required.has(name), at, lose))
  }
  for (const [index, name] of [...required].entries()) {
    if (typeof name !== 'string' || Object.hasOwn(properties, name)) continue
    if (`/properties${encodePointerStep(name)}`.length > MAX_POINTER) {
      lose(`/required${encodePointerStep(index)}`, 'A parameter cannot have so long a name')
      continue
    }
    lose(`/required${encodePointerStep(index)}`, `A parameter needs a type, so '${name}' is written as one of type any`)
    if (name !== '') parametersReader.push({ name, description: '', type: 'any', required: true })
  }
  const isNamed = input.properties !== undefined || parametersReader.length > 0
  return { parameters: isNamed ? parametersReader : undefined, losses }
}

function encodeParameter(
  name: string,
  schema: JsonObject,
  required: boolean,
  at: string,
  lose: (path: string, reason: string) => void,
): JsonObject {
  const { type, description } = schema
  const said: Record<string, Json> = {}
  for (const [keyword, value] of Object.entries(schema)) {
    if (value === undefined || keyword === 'type' || keyword === 'description') continue
    const place = at + encodePointerStep(keyword)
    if (!Object.hasOwn(KEYWORDS, keyword)) lose(place, 'A parameter has no such keyword')
    else if (HOLDERS.includes(keyword) && hasReferences({ [keyword]: value }))
      lose(place, 'A parameter cannot refer to other schemas')
    else said[keyword] = value
  }
  if (description === '') lose(`${at}/description`, 'An empty description counts as none')
  const written = type === 'integer' ? 'number' : typeof type === 'string' && TYPES.includes(type) ? type : 'any'
  if (type !== undefined && type !== written)
    lose(`${at}/type`, `A parameter's type is one of ${TYPES.join(', ')}, so it is written as ${written}`)
  return { name, description: typeof description === 'string' ? description : '', type: written, required, ...said }
}
