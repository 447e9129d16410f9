import { pointerSteps } from '../tool/problem.ts'
import { KEYWORDS } from './keywords.ts'

/** The schema whose keyword failed, and the first keyword on the way that fails as a whole, if any. */
export interface Place {
  readonly schema: object
  readonly within?: 'composite' | 'propertyNames'
}

/**
 * Finds what a `keywordLocation` of @cfworker/json-schema points to. It leads from the root through references, so it is
 * no pointer into the document: `#/properties/a/$ref/maxLength`. `lookup` is the validator's, by absolute URI.
 */
export function locate(location: string, root: object, lookup: Readonly<Record<string, unknown>>): Place {
  const steps = pointerSteps(decodeURIComponent(location.slice(1))) ?? []
  let schema = root
  for (let index = 0; index < steps.length - 1; index++) {
    const name = steps[index] ?? ''
    const keyword = KEYWORDS.get(name)
    if (name === 'propertyNames') return { schema, within: 'propertyNames' }
    if (keyword?.tells === 'whole') return { schema, within: 'composite' }
    let below: unknown
    if (keyword?.role === 'reference') {
      below = lookup[String(Reflect.get(schema, '__absolute_ref__'))]
    } else {
      below = Reflect.get(schema, name)
      const isIndexed = Array.isArray(below) || keyword?.holds.endsWith('by name')
      if (isIndexed && isSchema(below)) below = Reflect.get(below, steps[++index] ?? '')
    }
    if (!isSchema(below)) return { schema }
    schema = below
  }
  return { schema }
}

function isSchema(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
