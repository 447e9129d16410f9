import { KNOWING_SCOPES, maySee, type Principal } from '../../core/access/principal.ts'
import { isNamePart, parseToolId, type ToolName } from '../../core/tool/tool-id.ts'
import { listCovers } from '../../core/tool/tool-patterns.ts'
import type { AnswerMemory } from '../../http/request/request-memory.ts'
import { query, readQuery } from '../../http/request/query.ts'
import { into, oneOf, optional, type Reader, strings, wrong } from '../../core/tool/json-reader.ts'
import { wrongParameter } from '../../core/call/call-fields.ts'
import type { Failing } from '../../core/failure/failure.ts'
import type { Meter } from '../../core/tool/budget.ts'
import type { Background } from '../../core/tool/platform.ts'
import type { Resolver } from '../../core/call/resolve-tool.ts'

export interface McpClient {
  readonly memory: AnswerMemory
  readonly request: Request
  readonly principal: Principal
  readonly background: Background
  readonly toolset: ToolSelection
  readonly meter: Meter
}

export type ToolSelection = Exclude<ReturnType<typeof readToolset>, Failing>

export const ALL: ToolSelection = { search: false, select: false, bare: false, tools: undefined, named: [], names: [] }
const MAX_NAMES = 256

export const toolsetQuery = query({
  mode: optional(oneOf(['search'])),
  select: optional(oneOf(['0', '1'])),
  names: optional(oneOf(['bare'])),
  toolkits: optional(namesOf("toolkits' names", isNamePart)),
  tools: optional(namesOf("tools such as 'Toolkit.Tool', 'Toolkit_Tool' or 'Toolkit.*'", isChoice)),
})

export function readToolset(url: string) {
  const read = readQuery(toolsetQuery, url)
  if (!read.ok) return read
  const { mode, select, names, toolkits, tools } = read.value
  const all = [...(toolkits ?? []).map((name) => `${name}${ANY_TOOL}`), ...(tools ?? [])]
  if (all.length > MAX_NAMES) return wrongParameter('tools', `at most ${MAX_NAMES} names`)
  const chosen = toolkits !== undefined || tools !== undefined
  const patterns = all.filter((each) => !isNamePart(each))
  return {
    search: mode === 'search',
    select: select === '1',
    /** Lists each tool of one toolkit by its name there. */
    bare: names === 'bare' && toolkitsOf(patterns).length === 1,
    /** Patterns `T.*` and `T.N`; undefined chooses every tool. */
    tools: chosen ? patterns : undefined,
    named: patterns.map(toolkitOrTool),
    names: all.filter(isNamePart),
  }
}

export function isChosen({ tools }: ToolSelection, name: ToolName): boolean {
  return tools === undefined || listCovers(tools, name)
}

/** A tool that the client may not see must look as if there were none. */
export async function shownTool(asked: string, { principal, background, toolset }: McpClient, resolver: Resolver) {
  const resolved = await resolver.resolve(asked, background)
  if (!resolved.ok) return undefined
  const { record } = resolved.tool
  return maySee(principal, record, KNOWING_SCOPES) && isChosen(toolset, record) ? resolved : undefined
}

/** For lists only: whether the principal may call a tool is judged by the principal as it is. */
export function narrowedTo(principal: Principal, { tools }: ToolSelection): Principal {
  const { within } = principal
  if (tools === undefined) return principal
  if (within === undefined) return { ...principal, within: tools }
  // An agent has whole toolkits
  const isWithin = (pattern: string) =>
    listCovers(within, parseToolId(pattern) ?? { toolkit: toolkitOrTool(pattern), tool: '*' })
  return { ...principal, within: tools.filter(isWithin) }
}

function namesOf(wanted: string, fits: (name: string) => boolean): Reader<readonly string[]> {
  return into(strings, (values, report) => {
    const names = values.flatMap((value) => value.split(',')).filter((name) => name !== '')
    const wrongOne = names.find((name) => !fits(name))
    if (wrongOne === undefined) return names
    return wrong(report, `Must be ${wanted}, separated by commas, got '${wrongOne.slice(0, 100)}'`)
  })
}

const ANY_TOOL = '.*'

export function toolkitsOf(patterns: readonly string[]): readonly string[] {
  return [...new Set(patterns.map((pattern) => pattern.split('.', 1)[0] ?? ''))]
}

function toolkitOrTool(pattern: string): string {
  return pattern.endsWith(ANY_TOOL) ? pattern.slice(0, -ANY_TOOL.length) : pattern
}

function isChoice(text: string): boolean {
  const id = parseToolId(text)
  return id ? id.selector === undefined : isNamePart(toolkitOrTool(text))
}
