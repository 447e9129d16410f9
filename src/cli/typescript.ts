import { isObject, type JsonRecord } from '../client/json.ts'
import { walkSubschemas, toRefPath } from '../core/schema/subschemas.ts'
import { getAtPointer } from '../core/tool/problem.ts'
import { listTypes } from '../formats/schema-types.ts'
import { clean, formatJsonText } from './terminal-text.ts'

const ANY_OBJECT = '{ [name: string]: unknown }'

type Refer = (reference: string) => string

const SCHEMAS = ['components', 'schemas']
const PARTS = ['Input', 'Output']
const TOOL_ID = 'paths /tools/call post requestBody content application/json schema properties tool_id const'.split(' ')

/**
 * An interface of the tools, each with its input and output. It is made of their OpenAPI descriptions, whose schemas keep
 * their references. Patterns, ranges and whatever else types cannot say are left out.
 */
export function declareTools(descriptions: readonly unknown[]): string {
  const references = createReferences()
  const byId = new Map(descriptions.map((each) => [String(getAtPointer(each, TOOL_ID)).replace(/@[^]*/, ''), each]))
  const members = [...byId.keys()].sort().map((id) => {
    const description = byId.get(id)
    const refer = references.within(description)
    const [input, output] = PARTS.map((part) =>
      formatType(getAtPointer(description, [...SCHEMAS, part]), '    ', refer),
    )
    return `${describe(getAtPointer(description, ['info']), '  ')}  ${formatJsonText(id)}: {
    input: ${input === 'unknown' ? ANY_OBJECT : input}
    output: ${output}
  }\n`
  })
  const named = references.declared()
  const namespace = named.length === 0 ? '' : `\nexport declare namespace refs {\n${named.join('')}}\n`
  return `// Written by 'switchboard types'\n\nexport interface Tools {\n${members.join('')}}\n${namespace}`
}

/** The named types: one for all references that mean the same, whichever tools they are in. */
function createReferences() {
  const names = new Map<string, string>()
  const taken = new Set<string>()
  const waiting: (() => string)[] = []

  function nameType(place: string, places: ReadonlyMap<string, unknown>, refer: Refer): string {
    const meaning = canonicalize(place, places)
    const known = names.get(meaning)
    if (known !== undefined) return known
    const base = capitalize(place.slice(place.lastIndexOf('/') + 1))
    let name = base
    for (let count = 2; taken.has(name); count++) name = `${base}_${count}`
    names.set(meaning, name)
    taken.add(name)
    const schema = places.get(place)
    // Later, since a type may refer to itself
    waiting.push(() => `${describe(schema, '  ')}  export type ${name} = ${formatType(schema, '  ', refer)}\n`)
    return name
  }

  return {
    within(description: unknown): Refer {
      const places = placesIn(description)
      const known = new Map<string, string>()
      const refer = (reference: string) => {
        const place = toRefPath(reference)
        if (place === undefined || !places.has(place)) return 'unknown'
        const name = known.get(place) ?? nameType(place, places, refer)
        known.set(place, name)
        return `refs.${name}`
      }
      return refer
    },
    declared(): readonly string[] {
      return Array.from(waiting, (write) => write())
    },
  }
}

function placesIn(description: unknown): ReadonlyMap<string, unknown> {
  const places = new Map<string, unknown>()
  for (const steps of PARTS.map((part) => [...SCHEMAS, part])) {
    for (const { schema, path } of walkSubschemas(getAtPointer(description, steps), Infinity))
      places.set(`/${steps.join('/')}${path}`, schema)
  }
  return places
}

/** The schema at a place, with all that it refers to. */
function canonicalize(place: string, places: ReadonlyMap<string, unknown>): string {
  const reached = new Set([place])
  for (const each of reached) {
    for (const { schema } of walkSubschemas(places.get(each), Infinity)) {
      const to = isObject(schema) && typeof schema['$ref'] === 'string' ? toRefPath(schema['$ref']) : undefined
      if (to !== undefined) reached.add(to)
    }
  }
  const meaning = JSON.stringify([...reached].map((each) => [each, places.get(each)]))
  return meaning.replaceAll(/\/components\/schemas\/(?:In|Out)put/g, '')
}

function formatType(schema: unknown, indent: string, refer: Refer): string {
  if (schema === false) return 'never'
  if (!isObject(schema)) return 'unknown'
  const { $ref, allOf, anyOf, oneOf } = schema
  const typesIn = (list: unknown) => (Array.isArray(list) ? list.map((each) => formatType(each, indent, refer)) : [])
  const applied = [
    ...(typeof $ref === 'string' ? [refer($ref)] : []),
    ...typesIn(allOf),
    ...[anyOf, oneOf].map(typesIn).flatMap((branches) => (branches.length === 0 ? [] : union(branches))),
  ].filter((type) => type !== 'unknown')
  const own = ownType(schema, indent, refer, applied.length > 0)
  const parts = [...new Set(own === 'unknown' ? applied : [own, ...applied])]
  const [only = 'unknown'] = parts
  const type = parts.length > 1 ? parts.map(grouped).join(' & ') : only
  return schema['nullable'] === true && type !== 'unknown' ? union([type, 'null']) : type
}

function ownType(schema: JsonRecord, indent: string, refer: Refer, isBeside: boolean): string {
  if ('const' in schema) return literal(schema['const'])
  if (Array.isArray(schema['enum'])) return union(schema['enum'].map(literal))
  const types = listTypes(schema).map((type) => {
    if (type === 'array') return arrayType(schema, indent, refer)
    if (type === 'object') return objectType(schema, indent, refer)
    return type === 'integer' ? 'number' : type
  })
  // Only that it is an object, which the types beside it say in full
  const isBare = isBeside && types.length === 1 && types[0] === ANY_OBJECT
  return types.length === 0 || isBare ? 'unknown' : union(types)
}

function objectType(schema: JsonRecord, indent: string, refer: Refer): string {
  const { properties, required, additionalProperties, patternProperties } = schema
  const named = new Map(isObject(properties) ? Object.entries(properties) : [])
  const needed = new Set(Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [])
  const more = patternProperties === undefined ? additionalProperties : true
  const inner = `${indent}  `
  const names = [...new Set([...named.keys(), ...needed])]
  if (names.length === 0) return `{ [name: string]: ${formatType(more, inner, refer)} }`
  const members = names.map((name) => {
    const property = named.get(name)
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : formatJsonText(name)
    const type = formatType(property, inner, refer)
    return `${describe(property, inner)}${inner}${key}${needed.has(name) ? '' : '?'}: ${type}\n`
  })
  // `unknown`, since TypeScript would hold the named properties to a narrower type too
  const others = more === undefined || more === false ? '' : `${inner}[name: string]: unknown\n`
  return `{\n${members.join('')}${others}${indent}}`
}

function arrayType(schema: JsonRecord, indent: string, refer: Refer): string {
  const { items, prefixItems, additionalItems, minItems, maxItems } = schema
  const typeIn = (each: unknown) => grouped(formatType(each, indent, refer))
  // Before JSON Schema 2020-12 a tuple stood in `items`
  const [tuple, rest] = Array.isArray(items) ? [items, additionalItems] : [prefixItems, items]
  if (!Array.isArray(tuple)) return `${typeIn(items)}[]`
  const parts = tuple.map((each, index) => `${typeIn(each)}${index < Number(minItems ?? 0) ? '' : '?'}`)
  const isWhole = rest === false || (typeof maxItems === 'number' && maxItems <= tuple.length)
  return `[${[...parts, ...(isWhole ? [] : [`...${typeIn(rest)}[]`])].join(', ')}]`
}

function union(types: readonly string[]): string {
  const different = [...new Set(types)]
  if (different.includes('unknown')) return 'unknown'
  return different.join(' | ') || 'never'
}

function grouped(type: string): string {
  return /^[\w.]+$/.test(type) ? type : `(${type})`
}

function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (!isObject(value)) return formatJsonText(value)
  return `{ ${Object.entries(value)
    .map(([name, each]) => `${formatJsonText(name)}: ${literal(each)}`)
    .join('; ')} }`
}

function capitalize(words: string): string {
  const name = words.replaceAll(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9]|$)/g, (_, letter: string) => letter.toUpperCase())
  // No word of TypeScript begins with a capital letter or a line
  return /^[A-Z]/.test(name) ? name : `_${name}`
}

function describe(schema: unknown, indent: string): string {
  return comment(isObject(schema) ? schema['description'] : undefined, indent)
}

/** The text is a publisher's: it must neither end the comment nor give the compiler a directive. */
function comment(text: unknown, indent: string): string {
  if (typeof text !== 'string' || text.trim() === '') return ''
  const lines = clean(text.trim())
    .replaceAll(/\*(?=\/)|@(?=ts-)/g, '$& ')
    .split('\n')
  if (lines.length === 1) return `${indent}/** ${lines.join('')} */\n`
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`
}
