import { type Budget, createBudget, chargeValue } from '../tool/budget.ts'
import { canonicalJson } from '../tool/digest.ts'
import { isObject } from '../tool/json.ts'
import { VALIDATING } from './keywords.ts'
import { mapSubschemas } from './subschemas.ts'

/** In `keywords`, canonical numbers replace subschemas, and lists are sorted; `true` accepts anything. */
export interface CanonicalSchema {
  readonly number: number
  readonly keywords: Readonly<Record<string, unknown>> | boolean
  readonly units: number
}

export type Canonicalizer = ReturnType<typeof createCanonicalizer>

/** Reads each schema once, so comparing all parts of two takes no longer than reading them. */
export function createCanonicalizer(budget: Budget) {
  const schemas: CanonicalSchema[] = []
  const bySchema = new Map<object, CanonicalSchema>()
  const byText = new Map<string, CanonicalSchema>()

  function canonicalize(schema: unknown): CanonicalSchema {
    if (!isObject(schema)) return intern(schema !== false)
    const existing = bySchema.get(schema)
    if (existing) return existing
    const keywords: Record<string, unknown> = {}
    const schemaBudget = createBudget(Infinity, budget)
    for (const [keyword, value] of Object.entries(
      mapSubschemas(schema, (subschema) => canonicalize(subschema).number),
    )) {
      if (!VALIDATING.has(keyword)) continue
      chargeValue(value, schemaBudget)
      keywords[keyword] = Array.isArray(value) ? withoutOrder(keyword, value) : value
    }
    const canonical = intern(Object.keys(keywords).length === 0 || keywords, schemaBudget.spent)
    bySchema.set(schema, canonical)
    return canonical
  }

  function intern(keywords: CanonicalSchema['keywords'], units = 1): CanonicalSchema {
    budget.spend(1)
    const text = canonicalJson(keywords)
    const existing = byText.get(text)
    if (existing) return existing
    const canonical = { number: schemas.length, keywords, units }
    schemas.push(canonical)
    byText.set(text, canonical)
    return canonical
  }

  return {
    canonicalize,
    findByNumber: (number: unknown) => (typeof number === 'number' ? schemas[number] : undefined) ?? intern(true),
  }
}

function withoutOrder(keyword: string, list: readonly unknown[]): readonly unknown[] {
  if (keyword === 'enum') return list.map(canonicalJson).toSorted()
  return keyword === 'required' || keyword === 'type' ? list.toSorted() : list
}
