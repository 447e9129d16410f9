import { withinBudget, type Budget, createBudget } from '../tool/budget.ts'
import { isObject } from '../tool/json.ts'
import { encodePointerStep, type Problem } from '../tool/problem.ts'
import { ANCHORS, findKeywordProblem, REFERENCES, REFERRING } from './keywords.ts'
import { compileLinearPattern } from './pattern.ts'
import { walkSubschemas, type Located, MAX_POINTER, MAX_SCHEMA_DEPTH, MAX_SUBSCHEMAS } from './subschemas.ts'
import { toRefPath, subschemas } from './subschemas.ts'
import { MAX_PROBLEMS } from './validation-messages.ts'

/** Arrays and objects within each other, also in `const` and `examples`, so that no recursion can fail. */
const MAX_NESTING = 128

const DIALECTS: ReadonlyMap<unknown, 'current' | 'older'> = new Map([
  ['https://json-schema.org/draft/2020-12/schema', 'current'],
  ['https://json-schema.org/draft/2019-09/schema', 'older'],
  ['http://json-schema.org/draft-07/schema', 'older'],
])

export interface SchemaOptions {
  /** `none` refuses `$ref` and `$defs` (OXP 1.0); `local` allows references within the document. */
  readonly references: 'none' | 'local'
  /** For the analysis of patterns; the size of the document bounds everything else. */
  readonly budget?: Budget
}

/** Gives up to 100 problems. Never throws, and takes time in proportion to the schema's size. */
export function checkSchema(schema: unknown, options: SchemaOptions, path = ''): readonly Problem[] {
  const problems: Problem[] = []
  for (const problem of everyProblem(schema, options)) {
    problems.push({ path: path + problem.path.slice(0, MAX_POINTER), message: problem.message })
    if (problems.length === MAX_PROBLEMS) break
  }
  return problems
}

function* everyProblem(root: unknown, options: SchemaOptions): Generator<Problem> {
  yield* checkJson(root)
  const schemas: Located[] = []
  const older = isObject(root) && dialect(root['$schema']) === 'older'
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
      for (const problem of checkKeywords(schema, path === '', older, options))
        yield { path: path + problem.path, message: problem.message }
    } else if (typeof schema !== 'boolean') {
      yield { path, message: 'Must be a schema: an object, true or false' }
    }
  }
  yield* checkPatterns(schemas, options.budget ?? createBudget())
  if (options.references === 'local') yield* checkReferences(schemas)
}

function* checkJson(root: unknown): Generator<Problem> {
  const waiting = [{ value: root, path: '', depth: 0 }]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value, path, depth } = next
    if (typeof value !== 'object' || value === null) continue
    if (depth === MAX_NESTING) {
      yield { path, message: `Must not nest more than ${MAX_NESTING} arrays and objects` }
      continue
    }
    for (const [key, each] of Object.entries(value)) {
      const place = path + encodePointerStep(key)
      if (key === '__proto__') yield { path: place, message: "Must not be named '__proto__'" }
      if (typeof each === 'object') waiting.push({ value: each, path: place, depth: depth + 1 })
    }
  }
}

function* checkKeywords(
  schema: Readonly<Record<string, unknown>>,
  isRoot: boolean,
  older: boolean,
  { references }: SchemaOptions,
): Generator<Problem> {
  for (const [keyword, value] of Object.entries(schema)) {
    const path = encodePointerStep(keyword)
    const wrong = findKeywordProblem(keyword, value)
    if (wrong !== undefined) yield { path, message: wrong }
    else if (references === 'none' && REFERRING.has(keyword)) {
      yield { path, message: `Must not be used here: schemas of this format stand alone, without '${keyword}'` }
    } else if (keyword === 'required' && Array.isArray(value) && value.includes('__proto__')) {
      yield { path, message: "Must not name '__proto__', which nothing that is sent may hold" }
    } else if (keyword === '$recursiveRef') {
      yield { path, message: "Must be written '$ref' in JSON Schema 2020-12" }
    } else if (keyword === '$id' && !isRoot) {
      yield { path, message: 'Must not be used below the root: references are read from the root' }
    } else if (keyword === '$schema' && dialect(value) === undefined) {
      yield { path, message: 'Must be "https://json-schema.org/draft/2020-12/schema" (or draft 2019-09 or 07)' }
    } else if (keyword === 'items' && Array.isArray(value) && !older) {
      yield { path, message: "Must be a schema: a list of schemas is 'prefixItems' in JSON Schema 2020-12" }
    }
  }
}

function* checkPatterns(schemas: readonly Located[], budget: Budget): Generator<Problem> {
  const refusals = new Map<string, string | undefined>()
  for (const { schema, path } of schemas) {
    if (!isObject(schema)) continue
    const { pattern, patternProperties } = schema
    const names = isObject(patternProperties) ? Object.keys(patternProperties) : []
    const patterns = names.map((name) => [`/patternProperties${encodePointerStep(name)}`, name] as const)
    for (const [at, each] of typeof pattern === 'string' ? [['/pattern', pattern] as const, ...patterns] : patterns) {
      if (!refusals.has(each)) refusals.set(each, checkPattern(each, budget))
      const message = refusals.get(each)
      if (message !== undefined) yield { path: path + at, message }
    }
  }
}

export function checkPattern(pattern: string, budget: Budget): string | undefined {
  const checked = withinBudget(
    () => compileLinearPattern(pattern, budget),
    'Must be simpler: its patterns take too long to prepare',
  )
  const linear = checked.ok ? checked.value : checked
  return linear.ok ? undefined : linear.problems[0]?.message
}

function dialect(uri: unknown): 'current' | 'older' | undefined {
  return DIALECTS.get(typeof uri === 'string' ? uri.replace(/#$/, '') : uri)
}

/** References must point into the document, and go deeper into the value sooner or later. */
function* checkReferences(schemas: readonly Located[]): Generator<Problem> {
  const places = new Map<string, number>()
  for (const [index, { schema, path }] of schemas.entries()) {
    places.set(path, index)
    if (!isObject(schema)) continue
    for (const keyword of ANCHORS) {
      const anchor = schema[keyword]
      if (typeof anchor !== 'string') continue
      const same = places.get(`#${anchor}`) ?? index
      if (same !== index)
        yield { path: path + encodePointerStep(keyword), message: `Must be the only anchor '${anchor}'` }
      places.set(`#${anchor}`, index)
    }
  }
  const inPlace: number[][] = schemas.map(() => [])
  for (const [index, { schema, path }] of schemas.entries()) {
    if (!isObject(schema)) continue
    for (const each of subschemas(schema)) {
      const below = each.inPlace ? places.get(path + each.path) : undefined
      if (below !== undefined) inPlace[index]?.push(below)
    }
    for (const keyword of REFERENCES) {
      const reference = schema[keyword]
      if (typeof reference !== 'string') continue
      const place = toRefPath(reference)
      const target = place === undefined ? undefined : places.get(place)
      if (target !== undefined) inPlace[index]?.push(target)
      else yield { path: path + encodePointerStep(keyword), message: unresolved(reference) }
    }
  }
  for (const index of endless(inPlace))
    yield { path: schemas[index]?.path ?? '', message: 'Must not refer back to itself without going into the value' }
}

function unresolved(reference: string): string {
  const got = JSON.stringify(reference.length > 80 ? `${reference.slice(0, 80)}...` : reference)
  return reference.startsWith('#')
    ? `Must point to a schema of this document, got ${got}`
    : `Must begin with "#", since other documents are never fetched, got ${got}`
}

function* endless(edges: readonly (readonly number[])[]): Generator<number> {
  const state = new Map<number, 'open' | 'done'>()
  for (const root of edges.keys()) {
    const path: { node: number; next: number }[] = [{ node: root, next: 0 }]
    if (state.has(root)) continue
    state.set(root, 'open')
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const to = edges[top.node]?.[top.next++]
      if (to === undefined) {
        state.set(top.node, 'done')
        path.pop()
      } else if (!state.has(to)) {
        state.set(to, 'open')
        path.push({ node: to, next: 0 })
      } else if (state.get(to) === 'open') {
        yield to
      }
    }
  }
}
