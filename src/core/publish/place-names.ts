import { sanitizedName, sanitizedNames } from '../tool/sanitize-name.ts'
import { joinedName } from '../tool/joined-name.ts'
import type { Problem } from '../tool/problem.ts'
import type { ToolName } from '../tool/tool-id.ts'
import type { ToolSource } from '../tool/tool-source.ts'

/** New names have the characters `[A-Za-z0-9_]`; one that is published with a `-` keeps it. */
export async function placeNames<T extends ToolName & { readonly name: string }>(
  definitions: readonly T[],
  source: Pick<ToolSource, 'current' | 'holds'>,
): Promise<{ readonly definitions: readonly T[]; readonly warnings: readonly Problem[] }> {
  const [first] = definitions
  if (!first || !definitions.some(hasDash)) return { definitions, warnings: [] }
  const isKept = !first.toolkit.includes('-') || (await source.holds(first.toolkit))
  const toolkit = isKept ? first.toolkit : sanitizedName(first.toolkit)
  const dashed = definitions.filter(({ tool }) => tool.includes('-'))
  const known = isKept ? await Promise.all(dashed.map((each) => source.current(each))) : []
  const kept = new Set(known.flatMap((each) => (each ? [each.tool] : [])))
  const names = sanitizedNames(definitions.map(({ tool }) => tool).filter((tool) => !kept.has(tool)))
  const warnings: Problem[] = []
  if (!isKept) warnings.push(warning(`'${first.toolkit}' is no toolkit's name any more: the toolkit is '${toolkit}'`))
  const placed = definitions.map((definition) => {
    const tool = names.get(definition.tool) ?? definition.tool
    if (tool !== definition.tool)
      warnings.push(warning(`'${definition.tool}' is no tool's name any more: it is '${tool}'`))
    const isMade = definition.name === joinedName(definition)
    const named = { ...definition, toolkit, tool }
    return isMade ? { ...named, name: joinedName(named) } : named
  })
  return { definitions: placed, warnings }
}

function hasDash({ toolkit, tool }: ToolName): boolean {
  return toolkit.includes('-') || tool.includes('-')
}

function warning(message: string): Problem {
  return { path: '', message }
}
