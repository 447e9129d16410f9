import { covers, type Principal } from '../../core/access/principal.ts'
import { patternCovers } from '../../core/tool/tool-id.ts'
import { query, readQuery } from '../../http/request/query.ts'
import { into, oneOf, optional, type Reader, strings, wrong } from '../../core/tool/json-reader.ts'
import { wrongParameter } from '../../core/call/call-fields.ts'
import type { Failing } from '../../core/failure/failure.ts'
import type { Background } from '../../core/tool/platform.ts'
import { isNamePart, parseToolId, type ToolName } from '../../core/tool/tool-id.ts'

/** The client that sent a request: as whom, how, and which tools its URL chooses. */
export interface Client {
  readonly request: Request
  readonly principal: Principal
  readonly background: Background
  readonly toolset: Toolset
}

/** The tools that the URL chooses, with `?toolkits=a,b` and `?tools=T.N,T.*,T_N`, and how they are shown. */
export interface Toolset {
  /** Whether they are found by searching. */
  readonly search: boolean
  /** Whether each takes a parameter that says which part of its result is wanted. */
  readonly select: boolean
  /** Tool patterns `T.*` and `T.N`, their parts spelt out; undefined chooses every tool. */
  readonly tools: readonly string[] | undefined
  /** The same as the toolkits `T` and the tools `T.N` that they are. */
  readonly named: readonly string[]
  /** Tools by the names that lists show, of which it is not known yet which those are. */
  readonly names: readonly string[]
}

/** Every tool. */
export const ALL: Toolset = { search: false, select: false, tools: undefined, named: [], names: [] }
const MAX_NAMES = 256

/** What the query of a door chooses. */
export const toolsetQuery = query(
  {
    mode: optional(oneOf(['search'])),
    select: optional(oneOf(['0', '1'])),
    toolkits: optional(namesOf("toolkits' names", isNamePart)),
    tools: optional(namesOf("tools such as 'Toolkit.Tool', 'Toolkit_Tool' or 'Toolkit.*'", isChoice)),
  },
  { lists: ['toolkits', 'tools'] },
)

/** Reads the query of a URL; what cannot be meant gives a failure that says which parameter. */
export function readToolset(url: string): Toolset | Failing {
  if (!url.includes('?')) return ALL
  const read = readQuery(toolsetQuery, url)
  if (!read.ok) return read
  const { mode, select, toolkits, tools } = read.value
  const all = [...(toolkits ?? []).map((name) => `${name}${ANY_TOOL}`), ...(tools ?? [])]
  if (all.length > MAX_NAMES) return wrongParameter('tools', `at most ${MAX_NAMES} names`)
  const chosen = toolkits !== undefined || tools !== undefined
  const patterns = all.filter((each) => !isNamePart(each))
  return {
    search: mode === 'search',
    select: select === '1',
    tools: chosen ? patterns : undefined,
    named: patterns.map(toolkitOrTool),
    names: all.filter(isNamePart),
  }
}

/** Whether a tool is among the chosen ones. */
export function isChosen({ tools }: Toolset, name: ToolName): boolean {
  return tools === undefined || tools.some((pattern) => patternCovers(pattern, name))
}

/**
 * The principal, seeing no more than the chosen tools of those it may see. For lists only: whether it may call a tool is
 * judged by the principal as it is.
 */
export function narrowedTo(principal: Principal, { tools }: Toolset): Principal {
  if (tools === undefined) return principal
  return { ...principal, tools: tools.flatMap((pattern) => common(principal, pattern)) }
}

/** Patterns of the tools that both a chosen pattern and the principal's own cover. */
function common(principal: Principal, pattern: string): readonly string[] {
  const name = parseToolId(pattern)
  if (name) return covers(principal, name) ? [pattern] : []
  const toolkit = toolkitOrTool(pattern)
  return principal.tools.flatMap((own) => {
    const [ofToolkits = '', ofTools = '*'] = own.split('.')
    const isOfToolkit = patternCovers(`${ofToolkits}.*`, { toolkit, tool: 'any' })
    return isOfToolkit ? [`${toolkit}.${ofTools}`] : []
  })
}

/** Reads names that are separated by commas, in parameters that may be repeated. */
function namesOf(wanted: string, fits: (name: string) => boolean): Reader<readonly string[]> {
  return into(strings, (values, report) => {
    const names = values.flatMap((value) => value.split(',')).filter((name) => name !== '')
    const wrongOne = names.find((name) => !fits(name))
    if (wrongOne === undefined) return names
    return wrong(report, `Must be ${wanted}, separated by commas, got '${wrongOne.slice(0, 100)}'`)
  })
}

const ANY_TOOL = '.*'

/** What a pattern of a toolset stands for: a toolkit, or a tool. */
function toolkitOrTool(pattern: string): string {
  return pattern.endsWith(ANY_TOOL) ? pattern.slice(0, -ANY_TOOL.length) : pattern
}

function isChoice(text: string): boolean {
  const id = parseToolId(text)
  return id ? id.selector === undefined : isNamePart(toolkitOrTool(text))
}
