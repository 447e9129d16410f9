import { isObject, type JsonRecord } from '../client/json.ts'
import { walkSubschemas, toRefPath } from '../core/schema/subschemas.ts'
import { getAtPointer } from '../core/tool/problem.ts'
import { listTypes } from '../formats/schema-types.ts'
import { clean, formatJsonText } from './terminal-text.ts'

const ANY_OBJECT = '{ [name: string]: unknown }'

type FormatReference = (reference: string) => string

const SCHEMAS = ['components', 'schemas']
const PARTS = ['Input', 'Output']
const TOOL_ID = 'paths /tools/call post requestBody content application/json schema properties tool_id const'.split(' ')

/**
 * Declares an interface of the tools, each with its input and output, from their OpenAPI descriptions, whose schemas keep
 * their references. Patterns, ranges and other constraints that types cannot express are left out.
 */
export function declareTools(descriptions: readonly unknown[]): string {
  const references = createReferences()
  const byId = new Map(descriptions.map((each) => [String(getAtPointer(each, TOOL_ID)).replace(/@[^]*/, ''), each]))
  const members = [...byId.keys()].sort().map((id) => {
    const description = byId.get(id)
    const refer = references.createFormatter(description)
    const [input, output] = PARTS.map((part) =>
      formatType(getAtPointer(description, [...SCHEMAS, part]), '    ', refer),
    )
    return `${formatDescription(getAtPointer(description, ['info']), '  ')}  ${formatJsonText(id)}: {
    input: ${input === 'unknown' ? ANY_OBJECT : input}
    output: ${output}
  }\n`
  })
  const declarations = references.formatDeclarations()
  const namespace = declarations.length === 0 ? '' : `\nexport declare namespace refs {\n${declarations.join('')}}\n`
  return `// Written by 'switchboard types'\n\nexport interface Tools {\n${members.join('')}}\n${namespace}`
}

/** Collects named types. Equivalent references share one type, even across tools. */
function createReferences() {
  const names = new Map<string, string>()
  const usedNames = new Set<string>()
  const pendingTypes: (() => string)[] = []

  function nameType(place: string, places: ReadonlyMap<string, unknown>, refer: FormatReference): string {
    const canonical = canonicalize(place, places)
    const existingName = names.get(canonical)
    if (existingName !== undefined) return existingName
    const base = capitalize(place.slice(place.lastIndexOf('/') + 1))
    let name = base
    for (let count = 2; usedNames.has(name); count++) name = `${base}_${count}`
    names.set(canonical, name)
    usedNames.add(name)
    const schema = places.get(place)
    // Deferred, because a type may refer to itself
    pendingTypes.push(
      () => `${formatDescription(schema, '  ')}  export type ${name} = ${formatType(schema, '  ', refer)}\n`,
    )
    return name
  }

  return {
    createFormatter(description: unknown): FormatReference {
      const places = collectSchemas(description)
      const knownNames = new Map<string, string>()
      const refer = (reference: string) => {
        const place = toRefPath(reference)
        if (place === undefined || !places.has(place)) return 'unknown'
        const name = knownNames.get(place) ?? nameType(place, places, refer)
        knownNames.set(place, name)
        return `refs.${name}`
      }
      return refer
    },
    formatDeclarations(): readonly string[] {
      return Array.from(pendingTypes, (formatPending) => formatPending())
    },
  }
}

function collectSchemas(description: unknown): ReadonlyMap<string, unknown> {
  const places = new Map<string, unknown>()
  for (const steps of PARTS.map((part) => [...SCHEMAS, part])) {
    for (const { schema, path } of walkSubschemas(getAtPointer(description, steps), Infinity))
      places.set(`/${steps.join('/')}${path}`, schema)
  }
  return places
}

/** Serializes the schema at a place with everything that it refers to. */
function canonicalize(place: string, places: ReadonlyMap<string, unknown>): string {
  const pointers = new Set([place])
  for (const pointer of pointers) {
    for (const { schema } of walkSubschemas(places.get(pointer), Infinity)) {
      const target = isObject(schema) && typeof schema['$ref'] === 'string' ? toRefPath(schema['$ref']) : undefined
      if (target !== undefined) pointers.add(target)
    }
  }
  const canonical = JSON.stringify([...pointers].map((pointer) => [pointer, places.get(pointer)]))
  return canonical.replaceAll(/\/components\/schemas\/(?:In|Out)put/g, '')
}

function formatType(schema: unknown, indent: string, refer: FormatReference): string {
  if (schema === false) return 'never'
  if (!isObject(schema)) return 'unknown'
  const { $ref, allOf, anyOf, oneOf } = schema
  const formatBranches = (list: unknown) =>
    Array.isArray(list) ? list.map((each) => formatType(each, indent, refer)) : []
  const appliedTypes = [
    ...(typeof $ref === 'string' ? [refer($ref)] : []),
    ...formatBranches(allOf),
    ...[anyOf, oneOf].map(formatBranches).flatMap((branches) => (branches.length === 0 ? [] : joinUnion(branches))),
  ].filter((type) => type !== 'unknown')
  const baseType = formatBaseType(schema, indent, refer, appliedTypes.length > 0)
  const parts = [...new Set(baseType === 'unknown' ? appliedTypes : [baseType, ...appliedTypes])]
  const [only = 'unknown'] = parts
  const type = parts.length > 1 ? parts.map(parenthesize).join(' & ') : only
  return schema['nullable'] === true && type !== 'unknown' ? joinUnion([type, 'null']) : type
}

function formatBaseType(schema: JsonRecord, indent: string, refer: FormatReference, hasAppliedTypes: boolean): string {
  if ('const' in schema) return formatLiteral(schema['const'])
  if (Array.isArray(schema['enum'])) return joinUnion(schema['enum'].map(formatLiteral))
  const types = listTypes(schema).map((type) => {
    if (type === 'array') return formatArrayType(schema, indent, refer)
    if (type === 'object') return formatObjectType(schema, indent, refer)
    return type === 'integer' ? 'number' : type
  })
  // A bare object adds nothing to the types beside it
  const isBare = hasAppliedTypes && types.length === 1 && types[0] === ANY_OBJECT
  return types.length === 0 || isBare ? 'unknown' : joinUnion(types)
}

function formatObjectType(schema: JsonRecord, indent: string, refer: FormatReference): string {
  const { properties, required, additionalProperties, patternProperties } = schema
  const propertySchemas = new Map(isObject(properties) ? Object.entries(properties) : [])
  const requiredNames = new Set(Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [])
  const additional = patternProperties === undefined ? additionalProperties : true
  const inner = `${indent}  `
  const names = [...new Set([...propertySchemas.keys(), ...requiredNames])]
  if (names.length === 0) return `{ [name: string]: ${formatType(additional, inner, refer)} }`
  const members = names.map((name) => {
    const property = propertySchemas.get(name)
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : formatJsonText(name)
    const type = formatType(property, inner, refer)
    return `${formatDescription(property, inner)}${inner}${key}${requiredNames.has(name) ? '' : '?'}: ${type}\n`
  })
  // `unknown`, because TypeScript would apply a narrower type to the named properties too
  const others = additional === undefined || additional === false ? '' : `${inner}[name: string]: unknown\n`
  return `{\n${members.join('')}${others}${indent}}`
}

function formatArrayType(schema: JsonRecord, indent: string, refer: FormatReference): string {
  const { items, prefixItems, additionalItems, minItems, maxItems } = schema
  const formatItem = (each: unknown) => parenthesize(formatType(each, indent, refer))
  // Before JSON Schema 2020-12, tuples were in `items`
  const [tuple, restItems] = Array.isArray(items) ? [items, additionalItems] : [prefixItems, items]
  if (!Array.isArray(tuple)) return `${formatItem(items)}[]`
  const parts = tuple.map((each, index) => `${formatItem(each)}${index < Number(minItems ?? 0) ? '' : '?'}`)
  const isClosed = restItems === false || (typeof maxItems === 'number' && maxItems <= tuple.length)
  return `[${[...parts, ...(isClosed ? [] : [`...${formatItem(restItems)}[]`])].join(', ')}]`
}

function joinUnion(types: readonly string[]): string {
  const uniqueTypes = [...new Set(types)]
  if (uniqueTypes.includes('unknown')) return 'unknown'
  return uniqueTypes.join(' | ') || 'never'
}

function parenthesize(type: string): string {
  return /^[\w.]+$/.test(type) ? type : `(${type})`
}

function formatLiteral(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(formatLiteral).join(', ')}]`
  if (!isObject(value)) return formatJsonText(value)
  return `{ ${Object.entries(value)
    .map(([name, each]) => `${formatJsonText(name)}: ${formatLiteral(each)}`)
    .join('; ')} }`
}

function capitalize(words: string): string {
  const name = words.replaceAll(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9]|$)/g, (_, letter: string) => letter.toUpperCase())
  // No reserved word of TypeScript starts with a capital letter or an underscore
  return /^[A-Z]/.test(name) ? name : `_${name}`
}

function formatDescription(schema: unknown, indent: string): string {
  return formatComment(isObject(schema) ? schema['description'] : undefined, indent)
}

/** The text comes from a publisher, so it must not end the comment or contain a compiler directive. */
function formatComment(text: unknown, indent: string): string {
  if (typeof text !== 'string' || text.trim() === '') return ''
  const lines = clean(text.trim())
    .replaceAll(/\*(?=\/)|@(?=ts-)/g, '$& ')
    .split('\n')
  if (lines.length === 1) return `${indent}/** ${lines.join('')} */\n`
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`
}
