import { createBudget } from '../core/tool/budget.ts'
import type { Encoded } from '../core/tool/codec.ts'
import type { ToolRecord } from '../core/tool/tool.ts'
import { providerName, recordLosses } from './declaration.ts'
import { current, rootObject } from './root-object.ts'

export function openai(record: ToolRecord, name: string, budget = createBudget()): Encoded {
  const losses = recordLosses(record)
  const writing = { root: record.input, losses, budget }
  const parameters = current(rootObject(record.input, '/input', writing), '/input', writing)
  const accepted = providerName(name, losses)
  const { description } = record
  return { document: { type: 'function', function: { name: accepted, description, parameters } }, losses }
}
