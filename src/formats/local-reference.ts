import { isObject } from '../core/tool/json.ts'
import { pointerStep, valueAt } from '../core/tool/problem.ts'
import { everySubschema, localReference } from '../core/schema/subschemas.ts'

const MAX_DEPTH = 64

export interface Target {
  readonly schema: unknown
  /** A JSON Pointer from the root. */
  readonly path: string
}

/** What a local `$ref` (a JSON Pointer or an anchor) points to; undefined for every other one, which is never fetched. */
export function localTarget(root: unknown, reference: unknown): Target | undefined {
  const steps = typeof reference === 'string' ? localReference(reference) : undefined
  if (typeof steps === 'string') return anchored(root, steps)
  if (!steps) return undefined
  const schema = valueAt(root, steps)
  return schema === undefined ? undefined : { schema, path: steps.map(pointerStep).join('') }
}

function anchored(root: unknown, name: string): Target | undefined {
  for (const { schema, path } of everySubschema(root, MAX_DEPTH)) {
    if (isObject(schema) && (schema.$anchor === name || schema.$dynamicAnchor === name)) return { schema, path }
  }
  return undefined
}
