import { withinBudget, type Budget, textUnits, chargeValue } from '../tool/budget.ts'
import { canonicalJson } from '../tool/digest.ts'
import { isObject } from '../tool/json.ts'
import { encodePointerStep, parsePointer } from '../tool/problem.ts'
import { type Definition, getDisplayTitle } from '../tool/tool.ts'
import type { compareDefinitions } from '../schema/compatibility.ts'
import { VALIDATING } from '../schema/keywords.ts'
import { walkSubschemas, MAX_SCHEMA_DEPTH } from '../schema/subschemas.ts'

type Change = ReturnType<typeof compareDefinitions>[number]

export interface TextChange extends Change {
  readonly before?: string
  readonly after?: string
}

const COMPARED = ['name', 'annotations', 'taskSupport', 'examples', 'metadata', '_meta', 'icons', 'tags'] as const

/** Compares the texts that models read as instructions. The most important texts come first. */
export function compareTexts(before: Definition, after: Definition, budget: Budget): readonly TextChange[] {
  const compared = withinBudget(() => [...textChanges(before, after, budget)], 'Its texts are too large to compare')
  if (compared.ok) return compared.value
  return compared.problems.map(({ path, message }) => ({ path, what: message, level: 'patch' }))
}

function* textChanges(before: Definition, after: Definition, budget: Budget): Generator<TextChange> {
  const compare = (path: string, label: string, oldValue: unknown, newValue: unknown) =>
    compareField(path, label, oldValue, newValue, budget)
  yield* compare('/description', 'Its description', before.description, after.description)
  yield* compare('/title', 'Its title', getDisplayTitle(before), getDisplayTitle(after))
  yield* schemaChanges('input', before.input, after.input, budget)
  yield* schemaChanges('output', before.output, after.output, budget)
  for (const field of COMPARED)
    yield* compare(`/${field}`, `Its '${field}'`, readField(before, field), readField(after, field))
}

function readField(record: Definition, field: (typeof COMPARED)[number]): unknown {
  const value = record[field]
  return Array.isArray(value) && value.length === 0 ? undefined : value
}

/** Leaves out texts of removed parts, which models no longer read. */
function* schemaChanges(root: 'input' | 'output', before: unknown, after: unknown, budget: Budget) {
  const oldSchemas = new Map<string, Readonly<Record<string, unknown>>>()
  for (const { path, schema } of walkSubschemas(before, MAX_SCHEMA_DEPTH)) {
    budget.spend(textUnits(path))
    if (isObject(schema)) oldSchemas.set(path, schema)
  }
  for (const { path, schema } of walkSubschemas(after, MAX_SCHEMA_DEPTH)) {
    budget.spend(textUnits(path))
    if (!isObject(schema)) continue
    const oldSchema = oldSchemas.get(path) ?? {}
    for (const keyword of new Set([...Object.keys(schema), ...Object.keys(oldSchema)])) {
      if (VALIDATING.has(keyword)) continue
      const pointer = `/${root}${path}${encodePointerStep(keyword)}`
      const label = `${nameKeyword(keyword)} of ${describePlace(root, path)}`
      yield* compareField(pointer, label, oldSchema[keyword], schema[keyword], budget)
    }
  }
}

function nameKeyword(keyword: string): string {
  return keyword === 'description' || keyword === 'title' ? `The ${keyword}` : `What '${keyword}' says`
}

function describePlace(root: string, path: string): string {
  const lastStep = parsePointer(path)?.at(-1)
  return lastStep === undefined ? `the ${root}` : `'${lastStep}'`
}

/** Yields at most one change. */
export function* compareField(
  path: string,
  label: string,
  oldValue: unknown,
  newValue: unknown,
  budget: Budget,
): Generator<TextChange> {
  chargeValue(oldValue, budget, path)
  chargeValue(newValue, budget, path)
  const [before, after] = [toText(oldValue), toText(newValue)]
  if (before === after) return
  const verb = before === undefined ? 'is new' : after === undefined ? 'is gone' : 'differs'
  const what = `${label} ${verb}`
  budget.spend(textUnits(path) + textUnits(what), path)
  yield {
    path,
    what,
    level: 'patch',
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  }
}

function toText(value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value
  return canonicalJson(value)
}
