import type { Loss } from '../core/tool/codec.ts'
import { isObject } from '../core/tool/json.ts'
import { pointerStep } from '../core/tool/problem.ts'
import { localTarget } from './local-reference.ts'

export type Schema = Readonly<Record<string, unknown>>

/** Levels of `allOf` and `$ref` within each other that are followed. */
const MAX_LEVELS = 16

/**
 * A schema whose `allOf` is merged into it, as far as one schema can say what several do: properties and required names
 * are joined, of other keywords the first counts. The merging, and what it passes over, join `losses`.
 */
export function mergeAllOf(schema: Schema, path: string, root: unknown, losses: Loss[], level = 0): Schema {
  const { allOf, ...own } = schema
  if (!Array.isArray(allOf)) return schema
  losses.push({ path: `${path}/allOf`, reason: 'Is merged into the schema around it' })
  let merged: Schema = own
  for (const [index, branch] of allOf.entries()) {
    const at = `${path}/allOf/${index}`
    const found = follow(branch, at, root, losses, level)
    if (found) merged = join(merged, found, at, losses)
  }
  return merged
}

/** A branch as a schema without `$ref` and `allOf`. */
export function follow(branch: unknown, path: string, root: unknown, losses: Loss[], level = 0): Schema | undefined {
  if (branch === true) return undefined
  if (!isObject(branch) || level >= MAX_LEVELS) {
    losses.push({ path, reason: 'Cannot be merged' })
    return undefined
  }
  if (!('$ref' in branch)) return mergeAllOf(branch, path, root, losses, level + 1)
  const { $ref, ...siblings } = branch
  const target = localTarget(root, $ref)
  losses.push({ path: `${path}/$ref`, reason: target ? 'Is put in place' : 'Points to no schema of this document' })
  const found = target && follow(target.schema, path, root, losses, level + 1)
  const beside = mergeAllOf(siblings, path, root, losses, level + 1)
  return found ? join(beside, found, path, losses) : beside
}

function join(one: Schema, other: Schema, path: string, losses: Loss[]): Schema {
  const joined = new Map(Object.entries(one))
  for (const [keyword, value] of Object.entries(other)) {
    const own = joined.get(keyword)
    const at = path + pointerStep(keyword)
    if (own === undefined) joined.set(keyword, value)
    else if (keyword === 'properties' && isObject(own) && isObject(value)) {
      joined.set(keyword, joinProperties(own, value, at, losses))
    } else if (keyword === 'required' && Array.isArray(own) && Array.isArray(value)) {
      joined.set(keyword, [...new Set([...own, ...value])])
    } else if (JSON.stringify(own) !== JSON.stringify(value)) {
      losses.push({ path: at, reason: 'Stands beside another one, which counts' })
    }
  }
  return Object.fromEntries(joined)
}

/** All properties of two schemas; of a property in both, the first counts. */
export function joinProperties(one: Schema, other: Schema, path: string, losses: Loss[]): Schema {
  const joined = new Map(Object.entries(one))
  for (const [name, schema] of Object.entries(other)) {
    if (!joined.has(name)) joined.set(name, schema)
    else if (JSON.stringify(joined.get(name)) !== JSON.stringify(schema)) {
      losses.push({ path: path + pointerStep(name), reason: 'Stands beside another one, which counts' })
    }
  }
  return Object.fromEntries(joined)
}
