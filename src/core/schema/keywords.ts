import { isObject } from '../tool/json.ts'

/** What is wrong with a keyword's value; undefined when it is right. */
type Check = (value: unknown) => string | undefined

const TYPES: ReadonlySet<unknown> = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'])

const string: Check = (value) => (typeof value === 'string' ? undefined : 'Must be a string')
const boolean: Check = (value) => (typeof value === 'boolean' ? undefined : 'Must be true or false')
const number: Check = (value) => (Number.isFinite(value) ? undefined : 'Must be a number')
const list: Check = (value) => (Array.isArray(value) ? undefined : 'Must be an array')
const schemas: Check = (value) => (isObject(value) ? undefined : 'Must be an object of schemas')
const schemaList: Check = (value) =>
  Array.isArray(value) && value.length > 0 ? undefined : 'Must be a non-empty array of schemas'
const count: Check = (value) =>
  Number.isInteger(value) && Number(value) >= 0 ? undefined : 'Must be a whole number, 0 or more'
const positive: Check = (value) =>
  Number.isFinite(value) && Number(value) > 0 ? undefined : 'Must be a number above 0'
const names: Check = (value) =>
  Array.isArray(value) && value.every((each) => typeof each === 'string') && new Set(value).size === value.length
    ? undefined
    : 'Must be an array of different strings'
const type: Check = (value) => {
  const each: readonly unknown[] = Array.isArray(value) ? value : [value]
  if (each.length > 0 && each.every((one) => TYPES.has(one)) && new Set(each).size === each.length) return undefined
  return `Must be a type or an array of different types, out of ${[...TYPES].map((one) => `'${one}'`).join(', ')}`
}
const nameLists: Check = (value) =>
  isObject(value) && Object.values(value).every((each) => names(each) === undefined)
    ? undefined
    : 'Must be an object of arrays of different strings'
const anchor: Check = (value) =>
  typeof value === 'string' && /^[A-Za-z_][-A-Za-z0-9._]*$/.test(value)
    ? undefined
    : 'Must begin with a letter or "_" and go on with letters, digits, "-", "_" and "."'

/**
 * The form of each keyword's value (the meta-schemas of JSON Schema 2020-12, and those of its older spellings).
 * Keywords that hold one schema are absent, as the schema is judged where it stands; so are unknown ones.
 */
export const KEYWORDS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ...each(['$id', '$schema', '$ref', '$dynamicRef', '$comment', 'title', 'description', 'format', 'pattern'], string),
  ...each(['contentEncoding', 'contentMediaType'], string),
  ...each(['$anchor', '$dynamicAnchor'], anchor),
  ...each(['deprecated', 'readOnly', 'writeOnly', 'uniqueItems'], boolean),
  ...each(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'], number),
  ...each(['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'], count),
  ...each(['minContains', 'maxContains'], count),
  ...each(['enum', 'examples'], list),
  ...each(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies'], schemas),
  ...each(['allOf', 'anyOf', 'oneOf', 'prefixItems'], schemaList),
  ...each(['const', 'default'], () => undefined),
  ['multipleOf', positive],
  ['required', names],
  ['type', type],
  ['dependentRequired', nameLists],
])

function each(keywords: readonly string[], check: Check): [string, Check][] {
  return keywords.map((keyword) => [keyword, check])
}
