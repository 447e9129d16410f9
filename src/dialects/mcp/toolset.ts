import { covers, type Principal } from '../../core/access/principal.ts'
import { patternCovers } from '../../core/tool/tool-id.ts'
import { misnamed, wrongParameter } from '../../core/call/call-fields.ts'
import type { Failing } from '../../core/call/failure.ts'
import type { Background } from '../../core/tool/platform.ts'
import { isNamePart, parseToolId, type ToolName } from '../../core/tool/tool-id.ts'

/** The client that sent a request: as whom, how, and which tools its URL chooses. */
export interface Client {
  readonly request: Request
  readonly principal: Principal
  readonly background: Background
  readonly toolset: Toolset
}

/** The tools that the URL chooses, with `?toolkits=a,b` and `?tools=T.N`, and how they are shown. */
export interface Toolset {
  /** Whether they are found by searching. */
  readonly search: boolean
  /** Whether each takes a parameter that says which part of its result is wanted. */
  readonly select: boolean
  /** Tool patterns `T.*` and `T.N`, their parts spelt out; undefined chooses every tool. */
  readonly tools: readonly string[] | undefined
}

const ALL: Toolset = { search: false, select: false, tools: undefined }
const MAX_NAMES = 256
/** What people try who have not read the documentation. */
const MEANT = { toolkit: 'toolkits', tool: 'tools' }

/** Reads the query of a URL; what cannot be meant gives a failure that says which parameter. */
export function readToolset(url: string): Toolset | Failing {
  const at = url.indexOf('?')
  if (at === -1) return ALL
  const query = new URLSearchParams(url.slice(at + 1))
  const tried = misnamed(query, MEANT)
  if (tried) return tried
  const mode = query.get('mode')
  if (mode !== null && mode !== 'search') return wrongParameter('mode', "'search'")
  const select = query.get('select')
  if (select !== null && select !== '1' && select !== '0') return wrongParameter('select', "'1' or '0'")
  const toolkits = names(query.getAll('toolkits'))
  const tools = names(query.getAll('tools'))
  if (toolkits.length + tools.length > MAX_NAMES) return wrongParameter('tools', `at most ${MAX_NAMES} names`)
  if (!toolkits.every(isNamePart)) return wrongParameter('toolkits', "toolkits' names, separated by commas")
  const isTool = (text: string) => {
    const id = parseToolId(text)
    return id !== undefined && id.selector === undefined
  }
  if (!tools.every(isTool)) return wrongParameter('tools', "names such as 'Toolkit.Tool', separated by commas")
  const chosen = query.has('toolkits') || query.has('tools')
  return {
    search: mode === 'search',
    select: select === '1',
    tools: chosen ? [...toolkits.map((name) => `${name}.*`), ...tools] : undefined,
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
  const toolkit = pattern.slice(0, -'.*'.length)
  return principal.tools.flatMap((own) => {
    const [ofToolkits = '', ofTools = '*'] = own.split('.')
    const isOfToolkit = patternCovers(`${ofToolkits}.*`, { toolkit, tool: 'any' })
    return isOfToolkit ? [`${toolkit}.${ofTools}`] : []
  })
}

function names(values: readonly string[]): readonly string[] {
  return values.flatMap((value) => value.split(',')).filter((name) => name !== '')
}
