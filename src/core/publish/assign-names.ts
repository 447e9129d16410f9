import type { Problem } from '../tool/problem.ts'
import { sanitizeName, sanitizeNames } from '../tool/sanitize-name.ts'
import { toDerivedName, type ToolName } from '../tool/tool-id.ts'
import type { ToolSource } from '../tool/tool-source.ts'

/** Limits new names to `[A-Za-z0-9_]`. A published toolkit keeps its `-`, and so does a published tool in it. */
export async function assignNames<T extends ToolName & { readonly name: string }>(
  definitions: readonly T[],
  source: Pick<ToolSource, 'loadCurrent' | 'hasToolkit'>,
): Promise<{ readonly definitions: readonly T[]; readonly warnings: readonly Problem[] }> {
  const [first] = definitions
  if (!first || !definitions.some(({ toolkit, tool }) => (toolkit + tool).includes('-')))
    return { definitions, warnings: [] }
  const keepsToolkit = !first.toolkit.includes('-') || (await source.hasToolkit(first.toolkit))
  const toolkit = keepsToolkit ? first.toolkit : sanitizeName(first.toolkit)
  const dashedDefinitions = definitions.filter(({ tool }) => tool.includes('-'))
  const existing = keepsToolkit
    ? await Promise.all(dashedDefinitions.map((definition) => source.loadCurrent(definition)))
    : []
  const existingNames = new Set(existing.flatMap((tool) => (tool ? [tool.tool] : [])))
  const names = sanitizeNames(definitions.map(({ tool }) => tool).filter((tool) => !existingNames.has(tool)))
  const warnings: Problem[] = []
  const warn = (message: string) => warnings.push({ path: '', message })
  if (!keepsToolkit) warn(`'${first.toolkit}' is no longer a toolkit's name: the toolkit is '${toolkit}'`)
  const renamedDefinitions = definitions.map((definition) => {
    const tool = names.get(definition.tool) ?? definition.tool
    if (tool !== definition.tool) warn(`'${definition.tool}' is no longer a tool's name: it is '${tool}'`)
    const isDerivedName = definition.name === toDerivedName(definition)
    const renamed = { ...definition, toolkit, tool }
    return isDerivedName ? { ...renamed, name: toDerivedName(renamed) } : renamed
  })
  return { definitions: renamedDefinitions, warnings }
}
