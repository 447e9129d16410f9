import { type Budget, unitsOf } from '../core/tool/budget.ts'
import type { Loss } from '../core/tool/codec.ts'
import { isObject } from '../core/tool/json.ts'
import { pointerStep, valueAt } from '../core/tool/problem.ts'
import { everySubschema, localReference } from '../core/schema/subschemas.ts'

const MAX_DEPTH = 64

export type SchemaObject = Readonly<Record<string, unknown>>

export interface Writing {
  readonly root: SchemaObject
  readonly losses: Loss[]
  readonly budget: Budget
}

export function visit(schema: unknown, path: string, { budget }: Writing): void {
  let units = unitsOf(path)
  if (isObject(schema)) {
    for (const value of Object.values(schema)) units += Array.isArray(value) ? 1 + value.length : 1
  }
  budget.spend(units, path)
}

export function localTarget(reference: unknown, path: string, writing: Writing) {
  if (typeof reference !== 'string') return undefined
  writing.budget.spend(unitsOf(reference), path)
  const steps = localReference(reference)
  if (typeof steps === 'string') return anchored(steps, path, writing)
  if (!steps) return undefined
  const schema = valueAt(writing.root, steps)
  return schema === undefined ? undefined : { schema, path: steps.map(pointerStep).join('') }
}

function anchored(name: string, at: string, { root, budget }: Writing) {
  for (const { schema, path } of everySubschema(root, MAX_DEPTH)) {
    budget.spend(1, at)
    if (isObject(schema) && (schema.$anchor === name || schema.$dynamicAnchor === name)) return { schema, path }
  }
  return undefined
}
