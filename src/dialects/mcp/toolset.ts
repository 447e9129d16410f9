import type { Principal } from '../../core/access/principal.ts'
import { toOwnRef, type ToolView } from '../../core/access/tool-view.ts'
import { isNamePart, parseToolId, type ToolName } from '../../core/tool/tool-id.ts'
import { formatToolRef, toIdRef } from '../../core/tool/tool-ref.ts'
import { listCovers } from '../../core/tool/tool-patterns.ts'
import type { AnswerMemory } from '../../http/request/request-memory.ts'
import { defineQuery, readQuery } from '../../http/request/query.ts'
import { transform, enumReader, optional, type Reader, stringArray, addProblem } from '../../core/tool/json-reader.ts'
import { invalidParameterFailure } from '../../core/call/call-options.ts'
import { ok, type Result } from '../../core/failure/failure.ts'
import type { JsonObject } from '../../core/tool/json.ts'
import type { CallOrigin } from '../../http/route/incoming-call.ts'

export interface McpRequestContext extends CallOrigin {
  readonly memory: AnswerMemory
  readonly toolset: QueryToolset
  /** The capabilities that the client declared in this message or at initialization. */
  readonly capabilities: JsonObject
  /** Checks whether the caller still has access, for long responses. */
  readonly authorize: () => Promise<Result<Principal>>
}

/** The tools that the query of a URL chooses, and how they are listed. */
export interface QueryToolset {
  /** `mode=search`: only three tools are listed, which search, describe and call the others. */
  readonly search: boolean
  /** `select=1`: each tool has the parameter `_select`. */
  readonly select: boolean
  /** `names=bare`: each tool is listed by its name in its toolkit. Only for one toolkit. */
  readonly bare: boolean
  /** Patterns `T.*` and `T.N` of tools; undefined selects all tools. `resolveToolsetNames` adds the tools of `exposedNames`. */
  readonly patterns: readonly string[] | undefined
  /** The toolkits and tools that the URL itself names, as `T` and `T.N`. */
  readonly names: readonly string[]
  /** Exposed names such as `Toolkit_Tool`. `resolveToolsetNames` leaves those that match no tool the caller may see. */
  readonly exposedNames: readonly string[]
  /** Excludes tools whose `visibility` is only for models. */
  readonly isForPages?: true
}

const MAX_NAMES = 256
const ANY_TOOL = '.*'

export const toolsetQuery = defineQuery({
  mode: optional(enumReader(['search'])),
  select: optional(enumReader(['0', '1'])),
  names: optional(enumReader(['bare'])),
  toolkits: optional(namesReader("toolkits' names", isNamePart)),
  tools: optional(namesReader("tools such as 'Toolkit.Tool', 'Toolkit_Tool' or 'Toolkit.*'", isToolChoice)),
})

/** Reads tool names as in `view`, and returns patterns with the tools' own names. */
export function readToolset(url: string, view?: ToolView): Result<QueryToolset> {
  const read = readQuery(toolsetQuery, url)
  if (!read.ok) return read
  const { mode, select, names, toolkits, tools } = read.value
  const entries = [...(toolkits ?? []).map((name) => `${name}${ANY_TOOL}`), ...(tools ?? [])]
  if (entries.length > MAX_NAMES) return invalidParameterFailure('tools', `at most ${MAX_NAMES} names`)
  const hasChoice = toolkits !== undefined || tools !== undefined
  const patterns = entries
    .filter((entry) => !isNamePart(entry))
    .map((entry) => formatToolRef(toOwnRef(view, toIdRef(entry))))
  return ok({
    search: mode === 'search',
    select: select === '1',
    bare: names === 'bare' && listToolkits(patterns).length === 1,
    patterns: hasChoice ? patterns : undefined,
    names: patterns.map(stripAnyTool),
    exposedNames: entries.filter(isNamePart),
  })
}

/** The toolset of a URL without a query, which most requests have. */
export const DEFAULT_TOOLSET = readToolset('http://localhost/')

/** Sets `patterns`, because only then is a name looked up and its visibility checked. */
export function restrictToPages(toolset: QueryToolset): QueryToolset {
  return { ...toolset, patterns: toolset.patterns ?? [], isForPages: true }
}

export function isInToolset({ patterns }: QueryToolset, name: ToolName): boolean {
  return patterns === undefined || listCovers(patterns, name)
}

/** Narrows a principal for lists only. Calls are authorized for the principal itself. */
export function restrictToToolset(principal: Principal, { patterns }: QueryToolset): Principal {
  const { restrictedTo } = principal
  if (patterns === undefined) return principal
  if (restrictedTo === undefined) return { ...principal, restrictedTo: patterns }
  // No tool is called '*', so only a pattern `T.*` in `restrictedTo` covers it
  const isWithin = (pattern: string) =>
    listCovers(restrictedTo, parseToolId(pattern) ?? { toolkit: stripAnyTool(pattern), tool: '*' })
  return { ...principal, restrictedTo: patterns.filter(isWithin) }
}

function namesReader(description: string, isValid: (name: string) => boolean): Reader<readonly string[]> {
  return transform(stringArray, (values, report) => {
    const names = values.flatMap((value) => value.split(',')).filter((name) => name !== '')
    const invalidName = names.find((name) => !isValid(name))
    if (invalidName === undefined) return names
    return addProblem(report, `Must be ${description}, separated by commas, got '${invalidName.slice(0, 100)}'`)
  })
}

export function listToolkits(patterns: readonly string[]): readonly string[] {
  return [...new Set(patterns.map((pattern) => pattern.split('.', 1)[0] ?? ''))]
}

function stripAnyTool(pattern: string): string {
  return pattern.endsWith(ANY_TOOL) ? pattern.slice(0, -ANY_TOOL.length) : pattern
}

function isToolChoice(text: string): boolean {
  const id = parseToolId(text)
  return id ? id.range === undefined : isNamePart(stripAnyTool(text))
}
