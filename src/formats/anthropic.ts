import { createBudget } from '../core/tool/budget.ts'
import type { EncodeResult, Loss } from '../core/tool/codec.ts'
import { isObject } from '../core/tool/json.ts'
import { encodePointerStep } from '../core/tool/problem.ts'
import type { ToolRecord } from '../core/tool/tool.ts'
import type { SchemaObject } from './writing.ts'
import { current, providerName, recordLosses, rootObject } from './declaration.ts'

const PROPERTY = /^[a-zA-Z0-9_.-]{1,64}$/

export function anthropic(record: ToolRecord, name: string, budget = createBudget()): EncodeResult {
  const losses = recordLosses(record)
  const writing = { root: record.input, losses, budget }
  const root = withNames(rootObject(record.input, '/input', writing), losses)
  const input_schema = current(root, '/input', writing)
  return { document: { name: providerName(name, losses), description: record.description, input_schema }, losses }
}

/** Removed rather than renamed, since a renamed argument would not reach the tool. */
function withNames(root: SchemaObject, losses: Loss[]): SchemaObject {
  const { properties, required } = root
  if (!isObject(properties)) return root
  const refused = new Set(Object.keys(properties).filter((name) => !PROPERTY.test(name)))
  if (refused.size === 0) return root
  for (const name of refused) {
    losses.push({
      path: `/input/properties${encodePointerStep(name)}`,
      reason: "Has a name of other characters than 'A-Z', 'a-z', '0-9', '_', '.', '-'",
    })
  }
  const isKept = (name: unknown) => typeof name !== 'string' || !refused.has(name)
  return {
    ...root,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => isKept(name))),
    ...(Array.isArray(required) ? { required: required.filter(isKept) } : {}),
  }
}
