import { type Budget, unitsOf } from '../core/tool/budget.ts'
import type { Loss } from '../core/tool/codec.ts'
import { isObject } from '../core/tool/json.ts'

export type Schema = Readonly<Record<string, unknown>>

/** The writing of one schema in a provider's form: what is lost on the way, and the work that may still be done. */
export interface Writing {
  /** The schema as a whole, into which references point. */
  readonly root: Schema
  readonly losses: Loss[]
  readonly budget: Budget
}

/** Takes the units that looking at a schema takes, what is below it not counted. */
export function visit(schema: unknown, path: string, { budget }: Writing): void {
  let units = unitsOf(path)
  if (isObject(schema)) {
    for (const value of Object.values(schema)) units += Array.isArray(value) ? 1 + value.length : 1
  }
  budget.spend(units, path)
}
