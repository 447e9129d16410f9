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

export interface Position {
  readonly path: string
  readonly context: FormatContext
}

export function addLoss({ path, context }: Position, at: string, reason: string): void {
  context.losses.push({ path: path + at, reason })
}

export function chargeVisit(schema: unknown, path: string, { budget }: FormatContext): void {
  let units = textUnits(path)
  if (isObject(schema)) {
    for (const value of Object.values(schema)) units += Array.isArray(value) ? 1 + value.length : 1
  }
  budget.spend(units, path)
}

export function findLocalTarget(reference: unknown, path: string, context: FormatContext) {
  if (typeof reference !== 'string') return undefined
  context.budget.spend(textUnits(reference), path)
  const steps = parseLocalRef(reference)
  if (typeof steps === 'string') return findAnchor(steps, path, context)
  if (!steps) return undefined
  const schema = getAtPointer(context.root, steps)
  return schema === undefined ? undefined : { schema, path: steps.map(encodePointerStep).join('') }
}

function findAnchor(name: string, at: string, { root, budget }: FormatContext) {
  for (const { schema, path } of walkSubschemas(root, MAX_DEPTH)) {
    budget.spend(1, at)
    if (isObject(schema) && (schema.$anchor === name || schema.$dynamicAnchor === name)) return { schema, path }
  }
  return undefined
}

const MAX_LEVELS = 16

/** The result can double with every level. */
export function mergeAllOf(schema: SchemaObject, path: string, context: FormatContext, level = 0): SchemaObject {
  const { allOf, ...siblings } = schema
  if (!Array.isArray(allOf)) return schema
  context.losses.push({ path: `${path}/allOf`, reason: 'Is merged into the schema around it' })
  let mergedSchema: SchemaObject = siblings
  for (const [index, branch] of allOf.entries()) {
    const at = `${path}/allOf/${index}`
    const resolvedBranch = resolveBranch(branch, at, context, level)
    if (resolvedBranch) mergedSchema = mergeSchemas(mergedSchema, resolvedBranch, at, context)
  }
  return mergedSchema
}

export function resolveBranch(
  branch: unknown,
  path: string,
  context: FormatContext,
  level = 0,
): SchemaObject | undefined {
  const { losses } = context
  chargeVisit(branch, path, context)
  if (branch === true) return undefined
  if (!isObject(branch) || level >= MAX_LEVELS) {
    losses.push({ path, reason: 'Cannot be merged' })
    return undefined
  }
  if (!('$ref' in branch)) return mergeAllOf(branch, path, context, level + 1)
  const { $ref, ...siblings } = branch
  const target = findLocalTarget($ref, path, context)
  losses.push({ path: `${path}/$ref`, reason: target ? 'Is put in place' : 'Points to no schema of this document' })
  const resolved = target && resolveBranch(target.schema, path, context, level + 1)
  const siblingSchema = mergeAllOf(siblings, path, context, level + 1)
  return resolved ? mergeSchemas(siblingSchema, resolved, path, context) : siblingSchema
}

/** The first of two values wins, except that a schema's properties and required names are merged. */
export function mergeSchemas(
  first: SchemaObject,
  second: SchemaObject,
  path: string,
  context: FormatContext,
  isSchema = true,
): SchemaObject {
  const { budget, losses } = context
  const merged = new Map(Object.entries(first))
  budget.spend(merged.size, path)
  for (const [name, value] of Object.entries(second)) {
    const existing = merged.get(name)
    const at = path + encodePointerStep(name)
    budget.spend(textUnits(name), at)
    if (existing === undefined) merged.set(name, value)
    else if (isSchema && name === 'properties' && isObject(existing) && isObject(value)) {
      merged.set(name, mergeSchemas(existing, value, at, context, false))
    } else if (isSchema && name === 'required' && Array.isArray(existing) && Array.isArray(value)) {
      budget.spend(existing.length + value.length, at)
      merged.set(name, [...new Set([...existing, ...value])])
    } else if (!isSame(existing, value, at, context)) {
      losses.push({ path: at, reason: 'Stands beside another one, which counts' })
    }
  }
  return Object.fromEntries(merged)
}

function isSame(first: unknown, second: unknown, path: string, { budget }: FormatContext): boolean {
  if (first === second) return true
  chargeValue(first, budget, path)
  chargeValue(second, budget, path)
  return JSON.stringify(first) === JSON.stringify(second)
}
