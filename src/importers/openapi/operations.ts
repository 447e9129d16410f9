import type { Skipped } from '../../core/publish/import.ts'
import { isObject } from '../../core/tool/json.ts'
import { toolNames } from '../shared/tool-names.ts'
import { type Description, follow, type Node, objectAt, type Possible, textAt } from './description.ts'

export interface Operation {
  readonly tool: string
  readonly method: string
  readonly path: string
  readonly operationId?: string
  readonly pathItem: Node
  readonly operation: Node
}

/** More than anybody writes in 16 MiB. */
const MAX_OPERATIONS = 20_000

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const

/**
 * Every operation in order, each with a unique name, and those of which no tool can be made. The bound counts both,
 * since by `$ref` a path takes a few bytes.
 */
export function operationsOf(
  description: Description,
): Possible<{ readonly operations: readonly Operation[]; readonly unreadable: readonly Skipped[] }> {
  const found: Omit<Operation, 'tool'>[] = []
  const unreadable: Skipped[] = []
  for (const [path, given] of Object.entries(objectAt(description.root, 'paths'))) {
    if (path.startsWith('x-')) continue
    if (found.length + unreadable.length > MAX_OPERATIONS) {
      return { ok: false, problem: `Must describe at most ${MAX_OPERATIONS} operations` }
    }
    const followed = follow(description, given)
    if (!followed.ok || !isObject(followed.value)) {
      unreadable.push({ name: path, reason: followed.ok ? 'Its path item is no object' : followed.problem })
      continue
    }
    const pathItem = followed.value
    for (const method of METHODS) {
      const operation = pathItem[method]
      if (operation === undefined) continue
      if (!isObject(operation)) {
        unreadable.push({ name: path, reason: `Its '${method}' is no object` })
        continue
      }
      const operationId = textAt(operation, 'operationId')
      const common = { method: method.toUpperCase(), path, pathItem, operation }
      found.push(operationId === undefined ? common : { ...common, operationId })
    }
  }
  return { ok: true, value: { operations: toolNames(found), unreadable } }
}
