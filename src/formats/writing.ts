import { type Budget, unitsOf } from '../core/tool/budget.ts'
import type { Loss } from '../core/tool/codec.ts'
import { isObject } from '../core/tool/json.ts'

export type Schema = Readonly<Record<string, unknown>>

export interface Writing {
  readonly root: Schema
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
