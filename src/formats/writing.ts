import { type Budget, textUnits, chargeValue } from '../core/tool/budget.ts'
import type { Loss } from '../core/tool/codec.ts'
import { isObject } from '../core/tool/json.ts'
import { encodePointerStep, getAtPointer } from '../core/tool/problem.ts'
import { walkSubschemas, parseLocalRef } from '../core/schema/subschemas.ts'

const MAX_DEPTH = 64

export type SchemaObject = Readonly<Record<string, unknown>>

export interface FormatContext {
  readonly root: SchemaObject
  readonly losses: Loss[]
  readonly budget: Budget
}

export function visit(schema: unknown, path: string, { budget }: FormatContext): void {
  let units = textUnits(path)
  if (isObject(schema)) {
    for (const value of Object.values(schema)) units += Array.isArray(value) ? 1 + value.length : 1
  }
  budget.spend(units, path)
}

export function localTarget(reference: unknown, path: string, writing: FormatContext) {
  if (typeof reference !== 'string') return undefined
  writing.budget.spend(textUnits(reference), path)
  const steps = parseLocalRef(reference)
  if (typeof steps === 'string') return anchored(steps, path, writing)
  if (!steps) return undefined
  const schema = getAtPointer(writing.root, steps)
  return schema === undefined ? undefined : { schema, path: steps.map(encodePointerStep).join('') }
}

function anchored(name: string, at: string, { root, budget }: FormatContext) {
  for (const { schema, path } of walkSubschemas(root, MAX_DEPTH)) {
    budget.spend(1, at)
    if (isObject(schema) && (schema.$anchor === name || schema.$dynamicAnchor === name)) return { schema, path }
  }
  return undefined
}

const MAX_LEVELS = 16

/** The result can double with every level. */
export function mergeAllOf(schema: SchemaObject, path: string, writing: FormatContext, level = 0): SchemaObject {
  const { allOf, ...own } = schema
  if (!Array.isArray(allOf)) return schema
  writing.losses.push({ path: `${path}/allOf`, reason: 'Is merged into the schema around it' })
  let merged: SchemaObject = own
  for (const [index, branch] of allOf.entries()) {
    const at = `${path}/allOf/${index}`
    const found = resolveBranch(branch, at, writing, level)
    if (found) merged = join(merged, found, at, writing)
  }
  return merged
}

export function resolveBranch(
  branch: unknown,
  path: string,
  writing: FormatContext,
  level = 0,
): SchemaObject | undefined {
  const { losses } = writing
  visit(branch, path, writing)
  if (branch === true) return undefined
  if (!isObject(branch) || level >= MAX_LEVELS) {
    losses.push({ path, reason: 'Cannot be merged' })
    return undefined
  }
  if (!('$ref' in branch)) return mergeAllOf(branch, path, writing, level + 1)
  const { $ref, ...siblings } = branch
  const target = localTarget($ref, path, writing)
  losses.push({ path: `${path}/$ref`, reason: target ? 'Is put in place' : 'Points to no schema of this document' })
  const found = target && resolveBranch(target.schema, path, writing, level + 1)
  const beside = mergeAllOf(siblings, path, writing, level + 1)
  return found ? join(beside, found, path, writing) : beside
}

/** The first of two values counts, but in a schema, properties and required names are joined. */
export function join(
  one: SchemaObject,
  other: SchemaObject,
  path: string,
  writing: FormatContext,
  isSchema = true,
): SchemaObject {
  const { budget, losses } = writing
  const joined = new Map(Object.entries(one))
  budget.spend(joined.size, path)
  for (const [name, value] of Object.entries(other)) {
    const own = joined.get(name)
    const at = path + encodePointerStep(name)
    budget.spend(textUnits(name), at)
    if (own === undefined) joined.set(name, value)
    else if (isSchema && name === 'properties' && isObject(own) && isObject(value)) {
      joined.set(name, join(own, value, at, writing, false))
    } else if (isSchema && name === 'required' && Array.isArray(own) && Array.isArray(value)) {
      budget.spend(own.length + value.length, at)
      joined.set(name, [...new Set([...own, ...value])])
    } else if (!isSame(own, value, at, writing)) {
      losses.push({ path: at, reason: 'Stands beside another one, which counts' })
    }
  }
  return Object.fromEntries(joined)
}

function isSame(one: unknown, other: unknown, path: string, { budget }: FormatContext): boolean {
  if (one === other) return true
  chargeValue(one, budget, path)
  chargeValue(other, budget, path)
  return JSON.stringify(one) === JSON.stringify(other)
}
