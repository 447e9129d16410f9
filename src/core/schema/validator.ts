import { afford, type Budget, createBudget, hasTooManyParts, UNITS } from '../tool/budget.ts'
import { isObject } from '../tool/json.ts'
import { pointerStep, type Problem } from '../tool/problem.ts'
import type { JsonSchema } from '../tool/tool.ts'
import { expandSchema } from './expand.ts'
import { createEvaluator, type Evaluator } from './evaluator.ts'
import { keywordsWhere } from './keywords.ts'
import { isSimplePattern } from './pattern.ts'
import { loadPatternEngine, patternsOf } from './pattern-matcher.ts'
import { everySubschema } from './subschemas.ts'
import { type Finding, problemMessage, reported } from './wording.ts'

export const TOO_COSTLY: readonly Problem[] = [{ path: '', message: 'Is too costly to check against its schema' }]

/** Gives every problem at once, at most 100. Never throws. Work that the schema can make grow draws on `whole`, too. */
export type Validate = (value: unknown, whole?: Budget) => readonly Problem[]

interface CompiledError {
  readonly keyword: string
  readonly instancePath: string
  readonly schemaPath: string
  readonly params: Readonly<Record<string, unknown>>
}

export interface CompiledSchema {
  (value: unknown): boolean
  errors?: readonly CompiledError[] | null
}

/** Compiled code counts no work, so patterns that may backtrack, unique items and recursion must be interpreted. */
export function isCheckedInLinearTime(schema: JsonSchema): boolean {
  for (const { schema: each } of everySubschema(schema, Infinity)) {
    if (isObject(each) && each['uniqueItems'] === true) return false
  }
  if (!patternsOf(schema).every(isSimplePattern)) return false
  const expanded = afford(() => expandSchema(schema), '')
  return expanded.ok && expanded.value.cut.length === 0
}

/** For schemas that are checked in linear time: the same problems as `interpretSchema` gives, without work at run time. */
export function compiledValidate(compiled: CompiledSchema): Validate {
  return (value) => {
    try {
      if (hasTooManyParts(value)) return TOO_COSTLY
      return compiled(value) ? [] : reported(findingsOfErrors(compiled.errors ?? []))
    } catch (error) {
      if (error instanceof RangeError) return [{ path: '', message: 'Must nest less deep to be checked' }]
      throw error
    }
  }
}

const WRAPPERS = keywordsWhere(({ tells }) => tells === 'below')
/** Ajv reports nothing below `not`. */
const COMPOSITES: ReadonlySet<string> = new Set(
  [...keywordsWhere(({ tells }) => tells === 'whole')].filter((keyword) => keyword !== 'not'),
)
/** Ajv's parameter with a keyword's own value; all others use `limit`, or need none. */
const WANTED: ReadonlyMap<string, string> = new Map([
  ['type', 'type'],
  ['enum', 'allowedValues'],
  ['const', 'allowedValue'],
  ['multipleOf', 'multipleOf'],
  ['pattern', 'pattern'],
])

function findingsOfErrors(errors: readonly CompiledError[]): Finding[] {
  const kept: CompiledError[] = []
  for (const error of errors) {
    if (WRAPPERS.has(error.keyword)) continue
    if (COMPOSITES.has(error.keyword)) {
      // Ajv reports what is below a composite right before it
      for (let last = kept.at(-1); last && isBelow(error, last); last = kept.at(-1)) kept.pop()
    }
    kept.push(error)
  }
  return kept.map(finding)
}

/** Schema paths begin anew below a reference, and Ajv reports `anyOf` and `oneOf` before it looks into the value itself. */
function isBelow(composite: CompiledError, error: CompiledError): boolean {
  if (error.schemaPath.startsWith(`${composite.schemaPath}/`)) return true
  if (!error.instancePath.startsWith(composite.instancePath)) return false
  const schema = composite.schemaPath.slice(0, composite.schemaPath.lastIndexOf('/') + 1)
  if (!error.schemaPath.startsWith(schema)) return true
  const looksLater = composite.keyword === 'anyOf' || composite.keyword === 'oneOf'
  return looksLater && error.instancePath.startsWith(`${composite.instancePath}/`)
}

function finding({ keyword, instancePath, params }: CompiledError): Finding {
  const name =
    params['missingProperty'] ?? params['additionalProperty'] ?? params['unevaluatedProperty'] ?? params['propertyName']
  const path = name === undefined ? instancePath : instancePath + pointerStep(String(name))
  return { path, keyword, message: problemMessage(keyword, params[WANTED.get(keyword) ?? 'limit']) }
}

const MAKING_UNITS = 2 * UNITS

export async function loadValidator(schema: JsonSchema): Promise<Validate> {
  await loadPatternEngine(schema)
  return interpretSchema(schema)
}

/** Generates no code, which Workers refuse. `format` is an annotation (JSON Schema 2020-12 Validation section 7.2.1). */
export function interpretSchema(
  schema: JsonSchema,
  budgetOf: (units: number, whole?: Budget) => Budget = createBudget,
): Validate {
  let evaluate: Evaluator
  try {
    evaluate = createEvaluator(schema, budgetOf(MAKING_UNITS))
  } catch {
    return () => [{ path: '', message: 'Cannot be checked, since the schema cannot be used' }]
  }
  return (value, whole) => {
    if (value === undefined) return [{ path: '', message: 'Cannot be checked against its schema' }]
    try {
      const found = afford(() => evaluate(value, budgetOf(UNITS, whole)), '')
      return found.ok ? reported(found.value) : TOO_COSTLY
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      return [{ path: '', message: 'Is too deep or too large to check against its schema' }]
    }
  }
}
