import type { Loss } from '../../core/tool/codec.ts'
import { isJsonObject, isList, isObject, type Json, type JsonObject } from '../../core/tool/json.ts'
import { pointerStep, pointerSteps, type Problem } from '../../core/tool/problem.ts'
import { REFERRING } from '../../core/schema/keywords.ts'
import { checkSchema } from '../../core/schema/publishable.ts'
import { everySubschema } from '../../core/schema/subschemas.ts'

/** The types of the specification ("Parameter Types") that JSON Schema has too; `any` is no type at all. */
const TYPES = ['string', 'number', 'boolean', 'object', 'array']
/** What parameters in use say beyond the specification, each a keyword of JSON Schema with the same meaning. */
const KEYWORDS = ['default', 'enum', 'format', 'properties', 'items']
const FIELDS = ['name', 'description', 'type', 'required', ...KEYWORDS]

/** The schema of an input, with whatever is wrong or unusual about the parameters it was read from. */
export interface DecodedParameters {
  readonly input: JsonObject
  readonly problems: readonly Problem[]
  readonly warnings: readonly Problem[]
}

/**
 * Reads a capability's `parameters` ("Capabilities") as the JSON Schema of its input. `path` is where they stand; problems
 * of the schemas inside them are found here, so that they are reported where the document has them.
 */
export function decodeParameters(value: Json | undefined, path: string): DecodedParameters {
  const problems: Problem[] = []
  const warnings: Problem[] = []
  const wrong = (at: string, message: string) => problems.push({ path: path + at, message })
  if (value === undefined) return { input: { type: 'object' }, problems, warnings }
  if (!isList(value)) {
    wrong('', 'Must be an array of parameters')
    return { input: { type: 'object' }, problems, warnings }
  }
  const schemas = new Map<string, JsonObject>()
  const places = new Map<string, number>()
  const required: string[] = []
  for (const [index, parameter] of value.entries()) {
    const at = pointerStep(index)
    if (!isJsonObject(parameter)) {
      wrong(at, 'Must be an object')
      continue
    }
    for (const key of Object.keys(parameter)) {
      if (!FIELDS.includes(key)) wrong(at + pointerStep(key), `Unknown field '${key}': wanted ${FIELDS.join(', ')}`)
    }
    const { name, description, type, required: isRequired } = parameter
    if (typeof name !== 'string' || name === '') wrong(`${at}/name`, 'Must be a text that is not empty')
    else if (schemas.has(name)) wrong(`${at}/name`, `Must be unique in its capability, and '${name}' stands before it`)
    if (typeof description !== 'string') wrong(`${at}/description`, 'Must be a string')
    if (typeof type !== 'string' || (type !== 'any' && !TYPES.includes(type))) {
      wrong(`${at}/type`, `Must be one of ${[...TYPES, 'any'].join(', ')}`)
    }
    if (isRequired === undefined) {
      warnings.push({ path: `${path}${at}/required`, message: 'Is not said, and counts as false' })
    } else if (typeof isRequired !== 'boolean') wrong(`${at}/required`, 'Must be true or false')
    if (typeof name !== 'string') continue
    schemas.set(name, schemaOf(parameter))
    places.set(name, index)
    if (isRequired === true) required.push(name)
  }
  const input = {
    type: 'object',
    properties: Object.fromEntries(schemas),
    ...(required.length > 0 ? { required } : {}),
  }
  if (problems.length > 0) return { input, problems, warnings }
  // A parameter is no document of its own, so there is nothing a reference inside it could mean
  for (const problem of checkSchema(input, { references: 'none' })) {
    const [keyword, name = '', ...inner] = pointerSteps(problem.path) ?? []
    const index = keyword === 'properties' ? places.get(name) : undefined
    wrong(index === undefined ? '' : [index, ...inner].map(pointerStep).join(''), problem.message)
  }
  return { input, problems, warnings }
}

/** An empty description says nothing: it is how a parameter without one is written, since the field is required. */
function schemaOf(parameter: JsonObject): JsonObject {
  const { type, description } = parameter
  return {
    ...(type === 'any' ? {} : { type }),
    ...(description === '' ? {} : { description }),
    ...Object.fromEntries(KEYWORDS.filter((key) => parameter[key] !== undefined).map((key) => [key, parameter[key]])),
  }
}

/** Writes the JSON Schema of an input as parameters; undefined when it names none. Lists what they cannot say. */
export function encodeParameters(input: JsonObject): {
  readonly parameters: readonly JsonObject[] | undefined
  readonly losses: readonly Loss[]
} {
  const losses: Loss[] = []
  const lose = (path: string, reason: string) => losses.push({ path: `/input${path}`, reason })
  for (const key of Object.keys(input)) {
    if (!['type', 'properties', 'required'].includes(key)) lose(pointerStep(key), 'Parameters have no such keyword')
  }
  const properties = isJsonObject(input.properties) ? input.properties : {}
  const required = isList(input.required) ? input.required : []
  const parameters: JsonObject[] = []
  for (const [name, schema] of Object.entries(properties)) {
    const at = `/properties${pointerStep(name)}`
    if (name === '') lose(at, 'A parameter must have a name')
    else if (schema === false) lose(at, 'A parameter cannot be forbidden')
    else parameters.push(encodeParameter(name, isJsonObject(schema) ? schema : {}, required, at, lose))
  }
  for (const [index, name] of required.entries()) {
    if (typeof name !== 'string' || Object.hasOwn(properties, name)) continue
    lose(`/required${pointerStep(index)}`, `A parameter needs a type, so '${name}' is written as one of type any`)
    if (name !== '') parameters.push({ name, description: '', type: 'any', required: true })
  }
  const isNamed = input.properties !== undefined || parameters.length > 0
  return { parameters: isNamed ? parameters : undefined, losses }
}

function encodeParameter(
  name: string,
  schema: JsonObject,
  required: readonly Json[],
  at: string,
  lose: (path: string, reason: string) => void,
): JsonObject {
  const { type, description } = schema
  const said: Record<string, Json> = {}
  for (const [keyword, value] of Object.entries(schema)) {
    if (value === undefined || keyword === 'type' || keyword === 'description') continue
    const place = at + pointerStep(keyword)
    if (!KEYWORDS.includes(keyword)) lose(place, 'A parameter has no such keyword')
    else if (holdsReference(keyword, value)) lose(place, 'A parameter cannot refer to other schemas')
    else said[keyword] = value
  }
  if (description === '') lose(`${at}/description`, 'An empty description counts as none')
  const written = type === 'integer' ? 'number' : typeof type === 'string' && TYPES.includes(type) ? type : 'any'
  if (type !== undefined && type !== written) {
    lose(`${at}/type`, `A parameter's type is one of ${TYPES.join(', ')}, so it is written as ${written}`)
  }
  return {
    name,
    description: typeof description === 'string' ? description : '',
    type: written,
    required: required.includes(name),
    ...said,
  }
}

function holdsReference(keyword: string, value: Json): boolean {
  if (keyword !== 'properties' && keyword !== 'items') return false
  for (const { schema } of everySubschema({ [keyword]: value }, Infinity)) {
    if (isObject(schema) && Object.keys(schema).some((keyword) => REFERRING.has(keyword))) return true
  }
  return false
}
