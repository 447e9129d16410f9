import type { FormatWriter, Loss } from '../core/tool/codec.ts'
import { isObject } from '../core/tool/json.ts'
import { encodePointerStep } from '../core/tool/problem.ts'
import type { SchemaObject } from './writing.ts'
import { toCurrentSchema, toProviderName, recordLosses, toRootObject } from './declaration.ts'

const PROPERTY = /^[a-zA-Z0-9_.-]{1,64}$/

export const anthropic: FormatWriter = (record, name, budget) => {
  const losses = recordLosses(record)
  const context = { root: record.input, losses, budget }
  const root = dropRefusedNames(toRootObject(record.input, '/input', context), losses)
  const input_schema = toCurrentSchema(root, '/input', context)
  return { document: { name: toProviderName(name, losses), description: record.description, input_schema }, losses }
}

/** Removes properties rather than renaming them, because a renamed argument would not reach the tool. */
function dropRefusedNames(root: SchemaObject, losses: Loss[]): SchemaObject {
  const { properties, required } = root
  if (!isObject(properties)) return root
  const refusedNames = new Set(Object.keys(properties).filter((name) => !PROPERTY.test(name)))
  if (refusedNames.size === 0) return root
  for (const name of refusedNames) {
    losses.push({
      path: `/input/properties${encodePointerStep(name)}`,
      reason: "Has a name of other characters than 'A-Z', 'a-z', '0-9', '_', '.', '-'",
    })
  }
  const isAccepted = (name: unknown) => typeof name !== 'string' || !refusedNames.has(name)
  return {
    ...root,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => isAccepted(name))),
    ...(Array.isArray(required) ? { required: required.filter(isAccepted) } : {}),
  }
}
