import { parseTrusted } from '../../core/tool/json-text.ts'
import { isObject } from '../../core/tool/json.ts'
import { keywordsWhere } from '../../core/schema/keywords.ts'
import { checkSchema } from '../../core/schema/publishable.ts'
import { mapSubschemas } from '../../core/schema/subschemas.ts'
import type { JsonSchema } from '../../core/tool/tool.ts'
import type { ConvertResult } from './description.ts'
import { asSchema, type ConversionResult, type SchemaConverter, type ConversionWork } from './schema.ts'

/** A definition's 256 KiB contain its schemas and texts. */
const MAX_CHARACTERS = 200_000
const SCHEMA_KEYWORDS = keywordsWhere(({ holds }) => holds.includes('schema'))
const MAX_NODES = 2_000
/** The depth of nested schemas, across references. Publication allows no deeper ones. */
const MAX_DEPTH = 100
/** A definition without references that is no longer than this is written at each use. */
const MAX_INLINE_CHARACTERS = 160

/** Stays within the limits of publication, however much definitions multiply each other. */
export function standaloneSchema(
  root: ConversionResult,
  converter: SchemaConverter,
  definitionsKept: 'recursive' | 'shared',
  work: ConversionWork,
): ConvertResult<JsonSchema> {
  const { budget } = work
  const graph = gatherDefinitions(root, converter, work)
  if (!graph.ok) return graph
  const { definitions, uses, recursive } = graph
  const isSmall = (definition: ConversionResult | undefined) =>
    definition === undefined ||
    (definition.references.length === 0 && estimateWeight(definition.schema) <= MAX_INLINE_CHARACTERS)
  const isKeptApart = (name: string) =>
    recursive.has(name) ||
    (definitionsKept === 'shared' && (uses.get(name) ?? 0) > 1 && !isSmall(definitions.get(name)))

  let nodes = 0
  let characters = 0
  const keptDefinitions = new Map<string, JsonSchema>()
  const pending: string[] = []
  const isTooLarge = () => nodes > MAX_NODES || characters > MAX_CHARACTERS

  function writeOut(node: unknown, depth: number): JsonSchema {
    nodes += depth > MAX_DEPTH ? MAX_NODES : 1
    budget.spend(1)
    if (isTooLarge() || typeof node === 'boolean' || !isObject(node))
      return node === false ? false : node === true || {}
    for (const [keyword, value] of Object.entries(node)) {
      budget.spend(1)
      characters += keyword.length + (SCHEMA_KEYWORDS.has(keyword) ? countNameCharacters(value) : estimateWeight(value))
    }
    const name = typeof node.$ref === 'string' ? node.$ref.slice('#/$defs/'.length) : undefined
    const writeSubschemas = () => asSchema(mapSubschemas(node, (subschema) => writeOut(subschema, depth + 1)))
    if (name === undefined) return writeSubschemas()
    if (isKeptApart(name)) {
      if (!keptDefinitions.has(name)) pending.push(name)
      keptDefinitions.set(name, true)
      return writeSubschemas()
    }
    const { $ref: _, ...siblings } = node
    const target = writeOut(definitions.get(name)?.schema, depth + 1)
    return typeof target === 'boolean' ? target : { ...target, ...asSchema(siblings) }
  }

  const schema = writeOut(root.schema, 1)
  for (let name = pending.pop(); name !== undefined; name = pending.pop())
    keptDefinitions.set(name, writeOut(definitions.get(name)?.schema, 1))
  if (isTooLarge()) {
    const what = nodes > MAX_NODES ? `${MAX_NODES} subschemas` : `${MAX_CHARACTERS} characters`
    return { ok: false, problem: `it has more than ${what}` }
  }
  const schemaWithDefs =
    keptDefinitions.size === 0 || typeof schema === 'boolean'
      ? schema
      : { ...schema, $defs: Object.fromEntries(keptDefinitions) }
  // Parsing it again adds prototypes, without which objects cannot be sent to a Durable Object
  const plain: JsonSchema = parseTrusted(JSON.stringify(schemaWithDefs))
  const [problem] = checkSchema(plain, { references: 'local', budget })
  if (problem) return { ok: false, problem: `at '${problem.path}': ${problem.message}` }
  return { ok: true, value: plain }
}

const TOO_MANY_NODES = { ok: false, problem: `it has more than ${MAX_NODES} subschemas` } as const

function gatherDefinitions(root: ConversionResult, converter: SchemaConverter, work: ConversionWork) {
  const definitions = new Map<string, ConversionResult>()
  const uses = new Map<string, number>()
  const recursive = new Set<string>()
  const problems = [...root.problems]
  if (root.size > MAX_NODES) return TOO_MANY_NODES
  const openNames = new Set<string>()
  const path: { readonly name: string | undefined; readonly references: readonly string[]; nextReference: number }[] = [
    { name: undefined, references: root.references, nextReference: 0 },
  ]
  for (let step = path.at(-1); step; step = path.at(-1)) {
    const name = step.references[step.nextReference++]
    work.budget.spend(1)
    if (name === undefined) {
      if (step.name !== undefined) openNames.delete(step.name)
      path.pop()
      continue
    }
    uses.set(name, (uses.get(name) ?? 0) + 1)
    if (openNames.has(name)) recursive.add(name)
    if (definitions.has(name)) continue
    const definition = converter.definition(name, work)
    if (!definition) continue
    definitions.set(name, definition)
    problems.push(...definition.problems.slice(0, 1))
    if (definition.size > MAX_NODES) return TOO_MANY_NODES
    if (definitions.size > MAX_NODES)
      return { ok: false, problem: `it leads to more than ${MAX_NODES} other schemas` } as const
    openNames.add(name)
    path.push({ name, references: definition.references, nextReference: 0 })
  }
  const [problem] = problems
  if (problem !== undefined) return { ok: false, problem } as const
  return { ok: true, definitions, uses, recursive } as const
}

const weights = new WeakMap<object, number>()

function estimateWeight(value: unknown): number {
  if (typeof value === 'string') return value.length + 2
  if (typeof value !== 'object' || value === null) return 8
  const cachedWeight = weights.get(value)
  if (cachedWeight !== undefined) return cachedWeight
  const weight = JSON.stringify(value).length
  weights.set(value, weight)
  return weight
}

function countNameCharacters(value: unknown): number {
  return isObject(value) ? Object.keys(value).reduce((sum, name) => sum + name.length + 4, 0) : 2
}
