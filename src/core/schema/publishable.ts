import { withinBudget, type Budget, createBudget } from '../tool/budget.ts'
import { isObject } from '../tool/json.ts'
import { encodePointerStep, type Problem } from '../tool/problem.ts'
import { ANCHORS, findKeywordProblem, REFERENCES, REFERRING } from './keywords.ts'
import { compileLinearPattern } from './pattern.ts'
import { walkSubschemas, type Located, MAX_POINTER, MAX_SCHEMA_DEPTH, MAX_SUBSCHEMAS } from './subschemas.ts'
import { toRefPath, subschemas } from './subschemas.ts'
import { MAX_PROBLEMS } from './validation-messages.ts'

/** Levels of nested arrays and objects, even in `const` and `examples`, so that no recursion can fail. */
const MAX_NESTING = 128

const DIALECTS: ReadonlyMap<unknown, 'current' | 'older'> = new Map([
  ['https://json-schema.org/draft/2020-12/schema', 'current'],
  ['https://json-schema.org/draft/2019-09/schema', 'older'],
  ['http://json-schema.org/draft-07/schema', 'older'],
])

export interface SchemaOptions {
  /** `none` refuses `$ref` and `$defs` (OXP 1.0); `local` allows references within the document. */
  readonly references: 'none' | 'local'
  /** Bounds the analysis of patterns. The size of the document bounds all other checks. */
  readonly budget?: Budget | undefined
}

/** Returns up to 100 problems. Never throws, and takes time proportional to the schema's size. */
export function checkSchema(schema: unknown, options: SchemaOptions, path = ''): readonly Problem[] {
  const problems: Problem[] = []
  for (const problem of findProblems(schema, options)) {
    problems.push({ path: path + problem.path.slice(0, MAX_POINTER), message: problem.message })
    if (problems.length === MAX_PROBLEMS) break
  }
  return problems
}

function* findProblems(root: unknown, options: SchemaOptions): Generator<Problem> {
  yield* checkJson(root)
  const schemas: Located[] = []
  const isOlderDialect = isObject(root) && findDialectAge(root['$schema']) === 'older'
  for (const located of walkSubschemas(root, MAX_SCHEMA_DEPTH + 1)) {
    const { schema, path, depth } = located
    if (depth > MAX_SCHEMA_DEPTH) {
      yield { path, message: `Must not be more than ${MAX_SCHEMA_DEPTH} schemas deep` }
      continue
    }
    if (path.length > MAX_POINTER) {
      yield { path, message: `Must not lie below names of more than ${MAX_POINTER} characters together` }
      continue
    }
    if (schemas.length === MAX_SUBSCHEMAS) {
      yield { path: '', message: `Must have at most ${MAX_SUBSCHEMAS} subschemas` }
      return
    }
    schemas.push(located)
    if (isObject(schema)) {
      for (const problem of checkKeywords(schema, path === '', isOlderDialect, options))
        yield { path: path + problem.path, message: problem.message }
    } else if (typeof schema !== 'boolean') {
      yield { path, message: 'Must be a schema: an object, true or false' }
    }
  }
  yield* checkPatterns(schemas, options.budget ?? createBudget())
  if (options.references === 'local') yield* checkReferences(schemas)
}

function* checkJson(root: unknown): Generator<Problem> {
  const pending = [{ value: root, path: '', depth: 0 }]
  for (let entry = pending.pop(); entry; entry = pending.pop()) {
    const { value, path, depth } = entry
    if (typeof value !== 'object' || value === null) continue
    if (depth === MAX_NESTING) {
      yield { path, message: `Must not nest more than ${MAX_NESTING} arrays and objects` }
      continue
    }
    for (const [key, item] of Object.entries(value)) {
      const itemPath = path + encodePointerStep(key)
      if (key === '__proto__') yield { path: itemPath, message: "Must not be named '__proto__'" }
      if (typeof item === 'object') pending.push({ value: item, path: itemPath, depth: depth + 1 })
    }
  }
}

function* checkKeywords(
  schema: Readonly<Record<string, unknown>>,
  isRoot: boolean,
  isOlderDialect: boolean,
  { references }: SchemaOptions,
): Generator<Problem> {
  for (const [keyword, value] of Object.entries(schema)) {
    const path = encodePointerStep(keyword)
    const problem = findKeywordProblem(keyword, value)
    if (problem !== undefined) yield { path, message: problem }
    else if (references === 'none' && REFERRING.has(keyword)) {
      yield { path, message: `Must not be used here: schemas of this format stand alone, without '${keyword}'` }
    } else if (keyword === 'required' && Array.isArray(value) && value.includes('__proto__')) {
      yield { path, message: "Must not name '__proto__', which nothing that is sent may hold" }
    } else if (keyword === '$recursiveRef') {
      yield { path, message: "Must be written '$ref' in JSON Schema 2020-12" }
    } else if (keyword === '$id' && !isRoot) {
      yield { path, message: 'Must not be used below the root: references are read from the root' }
    } else if (keyword === '$schema' && findDialectAge(value) === undefined) {
      yield { path, message: 'Must be "https://json-schema.org/draft/2020-12/schema" (or draft 2019-09 or 07)' }
    } else if (keyword === 'items' && Array.isArray(value) && !isOlderDialect) {
      yield { path, message: "Must be a schema: a list of schemas is 'prefixItems' in JSON Schema 2020-12" }
    }
  }
}

function* checkPatterns(schemas: readonly Located[], budget: Budget): Generator<Problem> {
  const problemByPattern = new Map<string, string | undefined>()
  for (const { schema, path } of schemas) {
    if (!isObject(schema)) continue
    const { pattern, patternProperties } = schema
    const names = isObject(patternProperties) ? Object.keys(patternProperties) : []
    const patterns = names.map((name) => [`/patternProperties${encodePointerStep(name)}`, name] as const)
    for (const [patternPath, item] of typeof pattern === 'string'
      ? [['/pattern', pattern] as const, ...patterns]
      : patterns) {
      if (!problemByPattern.has(item)) problemByPattern.set(item, checkPattern(item, budget))
      const message = problemByPattern.get(item)
      if (message !== undefined) yield { path: path + patternPath, message }
    }
  }
}

export function checkPattern(pattern: string, budget: Budget): string | undefined {
  const checkResult = withinBudget(
    () => compileLinearPattern(pattern, budget),
    'Must be simpler: its patterns take too long to prepare',
  )
  const compileResult = checkResult.ok ? checkResult.value : checkResult
  return compileResult.ok ? undefined : compileResult.problems[0]?.message
}

function findDialectAge(uri: unknown): 'current' | 'older' | undefined {
  return DIALECTS.get(typeof uri === 'string' ? uri.replace(/#$/, '') : uri)
}

/** Checks that references point into the document, and that each cycle of them goes deeper into the value. */
function* checkReferences(schemas: readonly Located[]): Generator<Problem> {
  const indexByPath = new Map<string, number>()
  for (const [index, { schema, path }] of schemas.entries()) {
    indexByPath.set(path, index)
    if (!isObject(schema)) continue
    for (const keyword of ANCHORS) {
      const anchor = schema[keyword]
      if (typeof anchor !== 'string') continue
      const otherIndex = indexByPath.get(`#${anchor}`) ?? index
      if (otherIndex !== index)
        yield { path: path + encodePointerStep(keyword), message: `Must be the only anchor '${anchor}'` }
      indexByPath.set(`#${anchor}`, index)
    }
  }
  const inPlace: number[][] = schemas.map(() => [])
  for (const [index, { schema, path }] of schemas.entries()) {
    if (!isObject(schema)) continue
    for (const item of subschemas(schema)) {
      const childIndex = item.inPlace ? indexByPath.get(path + item.path) : undefined
      if (childIndex !== undefined) inPlace[index]?.push(childIndex)
    }
    for (const keyword of REFERENCES) {
      const reference = schema[keyword]
      if (typeof reference !== 'string') continue
      const refPath = toRefPath(reference)
      const target = refPath === undefined ? undefined : indexByPath.get(refPath)
      if (target !== undefined) inPlace[index]?.push(target)
      else yield { path: path + encodePointerStep(keyword), message: formatUnresolved(reference) }
    }
  }
  for (const index of findEndless(inPlace))
    yield { path: schemas[index]?.path ?? '', message: 'Must not refer back to itself without going into the value' }
}

function formatUnresolved(reference: string): string {
  const got = JSON.stringify(reference.length > 80 ? `${reference.slice(0, 80)}...` : reference)
  return reference.startsWith('#')
    ? `Must point to a schema of this document, got ${got}`
    : `Must begin with "#", since other documents are never fetched, got ${got}`
}

function* findEndless(edges: readonly (readonly number[])[]): Generator<number> {
  const state = new Map<number, 'open' | 'done'>()
  for (const root of edges.keys()) {
    const path: { node: number; nextEdge: number }[] = [{ node: root, nextEdge: 0 }]
    if (state.has(root)) continue
    state.set(root, 'open')
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const to = edges[top.node]?.[top.nextEdge++]
      if (to === undefined) {
        state.set(top.node, 'done')
        path.pop()
      } else if (!state.has(to)) {
        state.set(to, 'open')
        path.push({ node: to, nextEdge: 0 })
      } else if (state.get(to) === 'open') {
        yield to
      }
    }
  }
}
