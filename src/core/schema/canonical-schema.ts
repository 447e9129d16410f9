import { type Budget, createBudget, chargeValue } from '../tool/budget.ts'
import { canonicalJson } from '../tool/digest.ts'
import { isObject } from '../tool/json.ts'
import { VALIDATING } from './keywords.ts'
import { mapSubschemas } from './subschemas.ts'

/** `keywords` has the numbers of meanings in place of subschemas, and sorted lists; `true` accepts anything. */
export interface CanonicalSchema {
  readonly number: number
  readonly keywords: Readonly<Record<string, unknown>> | boolean
  readonly units: number
}

export type Meanings = ReturnType<typeof createCanonicalizer>

/** Each schema is read once, so comparing all parts of two takes no longer than reading them. */
export function createCanonicalizer(budget: Budget) {
  const all: CanonicalSchema[] = []
  const bySchema = new Map<object, CanonicalSchema>()
  const byText = new Map<string, CanonicalSchema>()

  function of(schema: unknown): CanonicalSchema {
    if (!isObject(schema)) return meant(schema !== false)
    const known = bySchema.get(schema)
    if (known) return known
    const keywords: Record<string, unknown> = {}
    const own = createBudget(Infinity, budget)
    for (const [keyword, value] of Object.entries(mapSubschemas(schema, (below) => of(below).number))) {
      if (!VALIDATING.has(keyword)) continue
      chargeValue(value, own)
      keywords[keyword] = Array.isArray(value) ? withoutOrder(keyword, value) : value
    }
    const meaning = meant(Object.keys(keywords).length === 0 || keywords, own.spent)
    bySchema.set(schema, meaning)
    return meaning
  }

  function meant(keywords: CanonicalSchema['keywords'], units = 1): CanonicalSchema {
    budget.spend(1)
    const text = canonicalJson(keywords)
    const known = byText.get(text)
    if (known) return known
    const meaning = { number: all.length, keywords, units }
    all.push(meaning)
    byText.set(text, meaning)
    return meaning
  }

  return { of, numbered: (number: unknown) => (typeof number === 'number' ? all[number] : undefined) ?? meant(true) }
}

function withoutOrder(keyword: string, list: readonly unknown[]): readonly unknown[] {
  if (keyword === 'enum') return list.map(canonicalJson).toSorted()
  return keyword === 'required' || keyword === 'type' ? list.toSorted() : list
}
