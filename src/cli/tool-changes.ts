import { SwitchboardError } from '../client/index.ts'
import { getText, type JsonRecord } from '../client/json.ts'
import { compareTexts, type TextChange } from '../core/publish/text-changes.ts'
import { compareDefinitions } from '../core/schema/compatibility.ts'
import { createBudget } from '../core/tool/budget.ts'
import { isJsonObject, type JsonObject } from '../core/tool/json.ts'
import { type Definition, NO_REQUIREMENTS } from '../core/tool/tool.ts'
import type { CliSession } from './context.ts'

/** Compares what a model reads of two versions of a tool. Returns undefined if either can no longer be read. */
export async function compareVersionsAsRead(
  session: CliSession,
  [before, after]: readonly [id: string, id: string],
  toolset: string | undefined,
): Promise<readonly TextChange[] | undefined> {
  const [oldTool, newTool] = [await loadTool(session, before, toolset), await loadTool(session, after, toolset)]
  if (!oldTool || !newTool) return undefined
  const budget = createBudget()
  return [...compareTexts(oldTool, newTool, budget), ...compareDefinitions(oldTool, newTool, budget)]
}

async function loadTool({ connection }: CliSession, id: string, toolset: string | undefined) {
  const request = { path: `/tools/${encodeURIComponent(id)}`, query: { format: 'mcp', toolset } }
  const document: unknown = await connection.sendJson(request).catch((error: unknown) => {
    if (error instanceof SwitchboardError && error.code === 'not_found') return undefined
    throw error
  })
  return isJsonObject(document) ? toDefinition(document) : undefined
}

/** Creates a definition with the fields of an MCP tool; the other fields are always the same. */
function toDefinition({ inputSchema, outputSchema, ...fields }: JsonObject): Definition {
  return {
    ...fields,
    toolkit: '',
    tool: '',
    version: '',
    name: getText(fields, 'name') ?? '',
    description: getText(fields, 'description') ?? '',
    input: isJsonObject(inputSchema) ? inputSchema : {},
    output: isJsonObject(outputSchema) ? outputSchema : null,
    requirements: NO_REQUIREMENTS,
    tags: [],
  }
}

export function printTextChange({ terminal }: CliSession, { what, level, before, after }: JsonRecord): void {
  terminal.print(level === 'major' ? ['yellow', `  breaks callers: ${String(what)}`] : `  ${String(what)}`)
  if (before !== undefined) terminal.print(['red', `    - ${String(before)}`])
  if (after !== undefined) terminal.print(['green', `    + ${String(after)}`])
}
