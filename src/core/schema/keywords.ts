import { isInteger, isObject } from '../tool/json.ts'

interface Keyword {
  readonly holds: KeywordValueType
  /** Core section 7; an anchor is one kind of identifier. */
  readonly role: 'identifier' | 'anchor' | 'reference' | 'reserved location' | 'applicator' | 'assertion' | 'annotation'
  readonly isInPlace?: true
  /** `constraint` is relaxed only by its removal; `opaque` may break callers. Absent if the keyword validates no value. */
  readonly changes?: 'lower' | 'upper' | 'constraint' | 'parts' | 'opaque'
}

type KeywordValueType = keyof typeof FORMS

const NAMES_BY_NAME = 'Must be an object of arrays of different strings'
const TYPES: ReadonlySet<unknown> = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'])

const FORMS = {
  'schema': () => undefined,
  'schema or list': () => undefined,
  'list of schemas': (value: unknown) =>
    Array.isArray(value) && value.length > 0 ? undefined : 'Must be a non-empty array of schemas',
  'schemas by name': (value: unknown) => (isObject(value) ? undefined : 'Must be an object of schemas'),
  'schemas or names by name': (value: unknown) => {
    if (!isObject(value)) return 'Must be an object of schemas'
    return Object.values(value).every((item) => !Array.isArray(item) || areNames(item)) ? undefined : NAMES_BY_NAME
  },
  'names by name': (value: unknown) =>
    isObject(value) && Object.values(value).every(areNames) ? undefined : NAMES_BY_NAME,
  'names': (value: unknown) => (areNames(value) ? undefined : 'Must be an array of different strings'),
  'text': (value: unknown) => (typeof value === 'string' ? undefined : 'Must be a string'),
  'anchor': (value: unknown) =>
    typeof value === 'string' && /^[A-Za-z_][-A-Za-z0-9._]*$/.test(value)
      ? undefined
      : 'Must begin with a letter or "_" and go on with letters, digits, "-", "_" and "."',
  'flag': (value: unknown) => (typeof value === 'boolean' ? undefined : 'Must be true or false'),
  'number': (value: unknown) => (isFinite(value) ? undefined : 'Must be a number'),
  'positive number': (value: unknown) => (isFinite(value) && value > 0 ? undefined : 'Must be a number above 0'),
  'count': (value: unknown) => (isInteger(value) && value >= 0 ? undefined : 'Must be a whole number, 0 or more'),
  'types': (value: unknown) => {
    const types: readonly unknown[] = Array.isArray(value) ? value : [value]
    const isValid = types.length > 0 && types.every((type) => TYPES.has(type)) && new Set(types).size === types.length
    if (isValid) return undefined
    return `Must be a type or an array of different types, out of ${[...TYPES].map((type) => `'${type}'`).join(', ')}`
  },
  'data': () => undefined,
  'list of data': (value: unknown) => (Array.isArray(value) ? undefined : 'Must be an array'),
} as const satisfies Readonly<Record<string, (value: unknown) => string | undefined>>

function isFinite(value: unknown): value is number | bigint {
  return typeof value === 'bigint' || Number.isFinite(value)
}

function areNames(value: unknown): boolean {
  const isList = Array.isArray(value) && value.every((name) => typeof name === 'string')
  return isList && new Set(value).size === value.length
}

const applicator = { role: 'applicator', changes: 'opaque' } as const
const oneSchema = { ...applicator, holds: 'schema' } as const
const assertion = { role: 'assertion', changes: 'constraint' } as const
const count = { ...assertion, holds: 'count' } as const

export const KEYWORDS: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
  ...withNames(['$id', '$schema', '$comment'], { holds: 'text', role: 'identifier' }),
  ...withNames(['$anchor', '$dynamicAnchor'], { holds: 'anchor', role: 'anchor', changes: 'opaque' }),
  ...withNames(['$ref', '$dynamicRef'], { holds: 'text', role: 'reference', changes: 'opaque' }),
  ...withNames(['$defs', 'definitions'], { holds: 'schemas by name', role: 'reserved location', changes: 'opaque' }),
  ...withNames(['title', 'description'], { holds: 'text', role: 'annotation' }),
  ...withNames(['deprecated', 'readOnly', 'writeOnly'], { holds: 'flag', role: 'annotation' }),
  ['default', { holds: 'data', role: 'annotation' }],
  ['examples', { holds: 'list of data', role: 'annotation' }],
  ['type', { ...assertion, holds: 'types', changes: 'parts' }],
  ['enum', { ...assertion, holds: 'list of data', changes: 'parts' }],
  ['const', { ...assertion, holds: 'data' }],
  ['required', { ...assertion, holds: 'names', changes: 'parts' }],
  ['dependentRequired', { ...assertion, holds: 'names by name', changes: 'opaque' }],
  ['uniqueItems', { ...assertion, holds: 'flag', changes: 'parts' }],
  ['multipleOf', { ...assertion, holds: 'positive number' }],
  // The last three are annotations in 2020-12, but callers may rely on them
  ...withNames(['pattern', 'format', 'contentEncoding', 'contentMediaType'], { ...assertion, holds: 'text' }),
  ...withNames(['minimum', 'exclusiveMinimum'], { ...assertion, holds: 'number', changes: 'lower' }),
  ...withNames(['minLength', 'minItems', 'minProperties', 'minContains'], { ...count, changes: 'lower' }),
  ...withNames(['maximum', 'exclusiveMaximum'], { ...assertion, holds: 'number', changes: 'upper' }),
  ...withNames(['maxLength', 'maxItems', 'maxProperties', 'maxContains'], { ...count, changes: 'upper' }),
  ...withNames(['allOf', 'anyOf', 'oneOf'], { ...applicator, holds: 'list of schemas', isInPlace: true }),
  ...withNames(['not', 'if', 'then', 'else'], { ...oneSchema, isInPlace: true }),
  ['dependentSchemas', { ...applicator, holds: 'schemas by name', isInPlace: true }],
  ['dependencies', { ...applicator, holds: 'schemas or names by name', isInPlace: true }],
  ['properties', { ...applicator, holds: 'schemas by name', changes: 'parts' }],
  ['patternProperties', { ...applicator, holds: 'schemas by name' }],
  ['additionalProperties', { ...oneSchema, changes: 'parts' }],
  ['items', { ...applicator, holds: 'schema or list', changes: 'parts' }],
  ['prefixItems', { ...applicator, holds: 'list of schemas' }],
  ...withNames(['additionalItems', 'unevaluatedItems', 'unevaluatedProperties'], oneSchema),
  ...withNames(['contains', 'propertyNames', 'contentSchema'], oneSchema),
])

export function keywordsWhere(matches: (keyword: Keyword) => boolean): ReadonlySet<string> {
  return new Set([...KEYWORDS].filter(([, keyword]) => matches(keyword)).map(([name]) => name))
}

export const ANCHORS = keywordsWhere(({ role }) => role === 'anchor')
export const REFERENCES = keywordsWhere(({ role }) => role === 'reference')
export const REFERRING: ReadonlySet<string> = new Set([
  ...REFERENCES,
  ...keywordsWhere(({ role }) => role === 'reserved location'),
  '$recursiveRef',
])

export function findKeywordProblem(name: string, value: unknown): string | undefined {
  const keyword = KEYWORDS.get(name)
  return keyword && FORMS[keyword.holds](value)
}

function withNames(names: readonly string[], keyword: Keyword): [string, Keyword][] {
  return names.map((name) => [name, keyword])
}

export const VALIDATING = keywordsWhere(({ changes }) => changes !== undefined)
