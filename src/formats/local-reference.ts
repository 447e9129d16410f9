import { isObject } from '../core/tool/json.ts'
import { pointerStep, pointerSteps } from '../core/tool/problem.ts'
import { everySubschema } from '../core/schema/subschemas.ts'

const MAX_DEPTH = 64

export interface Target {
  readonly schema: unknown
  /** A JSON Pointer from the root. */
  readonly path: string
}

/** What a local `$ref` (a JSON Pointer or an anchor) points to; undefined for every other one, which is never fetched. */
export function localTarget(root: unknown, reference: unknown): Target | undefined {
  if (typeof reference !== 'string' || !reference.startsWith('#')) return undefined
  let fragment: string
  try {
    fragment = decodeURIComponent(reference.slice(1))
  } catch {
    return undefined
  }
  if (fragment !== '' && !fragment.startsWith('/')) return anchored(root, fragment)
  const steps = pointerSteps(fragment)
  if (!steps) return undefined
  let schema = root
  for (const step of steps) {
    if (typeof schema !== 'object' || schema === null || !Object.hasOwn(schema, step)) return undefined
    schema = new Map<string, unknown>(Object.entries(schema)).get(step)
  }
  return { schema, path: steps.map(pointerStep).join('') }
}

function anchored(root: unknown, name: string): Target | undefined {
  for (const { schema, path } of everySubschema(root, MAX_DEPTH)) {
    if (isObject(schema) && (schema.$anchor === name || schema.$dynamicAnchor === name)) return { schema, path }
  }
  return undefined
}
