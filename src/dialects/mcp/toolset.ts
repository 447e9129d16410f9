import { KNOWING_SCOPES, maySee, type Principal } from '../../core/access/principal.ts'
import { isNamePart, parseToolId, type ToolName } from '../../core/tool/tool-id.ts'
import { listCovers } from '../../core/tool/tool-patterns.ts'
import type { AnswerMemory } from '../../http/request/request-memory.ts'
import { defineQuery, readQuery } from '../../http/request/query.ts'
import { transform, enumReader, optional, type Reader, stringArray, addProblem } from '../../core/tool/json-reader.ts'
import { invalidParameterFailure } from '../../core/call/call-options.ts'
import { ok } from '../../core/failure/failure.ts'
import type { CallOrigin } from '../../http/route/incoming-call.ts'
import type { ToolRef } from '../../core/tool/tool-ref.ts'
import type { Resolver } from '../../core/call/resolve-tool.ts'

export interface McpRequestContext extends CallOrigin {
  readonly memory: AnswerMemory
  readonly toolset: Toolset
}

export type Toolset = Extract<ReturnType<typeof readToolset>, { readonly ok: true }>['value']

const MAX_NAMES = 256

export const toolsetQuery = defineQuery({
  mode: optional(enumReader(['search'])),
  select: optional(enumReader(['0', '1'])),
  names: optional(enumReader(['bare'])),
  toolkits: optional(namesReader("toolkits' names", isNamePart)),
  tools: optional(namesReader("tools such as 'Toolkit.Tool', 'Toolkit_Tool' or 'Toolkit.*'", isToolChoice)),
})

export function readToolset(url: string) {
  const read = readQuery(toolsetQuery, url)
  if (!read.ok) return read
  const { mode, select, names, toolkits, tools } = read.value
  const entries = [...(toolkits ?? []).map((name) => `${name}${ANY_TOOL}`), ...(tools ?? [])]
  if (entries.length > MAX_NAMES) return invalidParameterFailure('tools', `at most ${MAX_NAMES} names`)
  const hasChoice = toolkits !== undefined || tools !== undefined
  const patterns = entries.filter((entry) => !isNamePart(entry))
  return ok({
    search: mode === 'search',
    select: select === '1',
    /** Lists each tool of one toolkit by its name there. */
    bare: names === 'bare' && listToolkits(patterns).length === 1,
    /** Patterns `T.*` and `T.N`; undefined chooses every tool. */
    tools: hasChoice ? patterns : undefined,
    patternNames: patterns.map(stripAnyTool),
    unresolvedNames: entries.filter(isNamePart),
  })
}

/** The toolset of a URL without a query, which most requests have. */
export const DEFAULT_TOOLSET = readToolset('http://localhost/')

export function isInToolset({ tools }: Toolset, name: ToolName): boolean {
  return tools === undefined || listCovers(tools, name)
}

/** A tool that the client may not see must look as if there were none. */
export async function findVisibleTool(
  toolRef: ToolRef,
  { principal, background, toolset }: McpRequestContext,
  resolver: Resolver,
) {
  const resolved = await resolver.resolve(toolRef, background)
  if (!resolved.ok) return undefined
  const { record } = resolved.tool
  return maySee(principal, record, KNOWING_SCOPES) && isInToolset(toolset, record) ? resolved : undefined
}

/** Narrows a principal for lists only. Calls are authorized for the principal itself. */
export function restrictToToolset(principal: Principal, { tools }: Toolset): Principal {
  const { restrictedTo } = principal
  if (tools === undefined) return principal
  if (restrictedTo === undefined) return { ...principal, restrictedTo: tools }
  // An agent has whole toolkits
  const isWithin = (pattern: string) =>
    listCovers(restrictedTo, parseToolId(pattern) ?? { toolkit: stripAnyTool(pattern), tool: '*' })
  return { ...principal, restrictedTo: tools.filter(isWithin) }
}

function namesReader(description: string, isValid: (name: string) => boolean): Reader<readonly string[]> {
  return transform(stringArray, (values, report) => {
    const names = values.flatMap((value) => value.split(',')).filter((name) => name !== '')
    const invalidName = names.find((name) => !isValid(name))
    if (invalidName === undefined) return names
    return addProblem(report, `Must be ${description}, separated by commas, got '${invalidName.slice(0, 100)}'`)
  })
}

const ANY_TOOL = '.*'

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
