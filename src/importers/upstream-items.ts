import type { ImportItem, ImportRequest } from '../core/publish/import.ts'
import { judgeWork, MAX_BYTES } from '../core/publish/definition-rules.ts'
import { type Budget, createBudget, UNITS } from '../core/tool/budget.ts'
import { isJsonObject, isObject, type JsonObject, jsonSize } from '../core/tool/json.ts'
import { check } from '../core/tool/json-reader.ts'
import { problemsInWords } from '../core/tool/problem.ts'
import type { ListedDialect } from '../core/tool/remote-dialect.ts'
import type { Implementation, Requirements } from '../core/tool/tool.ts'
import { foreignJsonProblem } from './shared/foreign-json.ts'
import { toolNames } from './shared/tool-names.ts'

interface Upstream {
  readonly tools: readonly unknown[]
  readonly implementation: Implementation
  readonly requirements: Requirements
  readonly passUser: boolean
  /** The one of its toolkits that is imported; undefined for all. */
  readonly theirToolkit: string | undefined
}

type Found = { readonly theirs: string; readonly name: string; readonly document: JsonObject }

export function* upstreamItems(
  request: ImportRequest,
  upstream: Upstream,
  listing: ListedDialect,
): Generator<ImportItem> {
  const found = new Map<string, Found>()
  const only = upstream.theirToolkit?.toLowerCase()
  for (const [index, document] of upstream.tools.entries()) {
    const read = check(listing.listed, document)
    if (!read.ok) yield { skipped: { name: `tool ${index}`, reason: problemsInWords(read.problems) } }
    if (!read.ok || !isJsonObject(document)) continue
    const { toolkit, tool, theirs } = read.value
    // Servers that do not know the query parameter list the others too
    if (only !== undefined && toolkit?.toLowerCase() !== only) continue
    const name = toolkit === undefined || only !== undefined ? tool : `${toolkit}_${tool}`
    const key = toolkit === undefined ? tool : `${toolkit}.${tool}`
    if (!found.has(key)) found.set(key, { theirs, name, document })
    else yield { skipped: { name: theirs, reason: `The server lists ${key === theirs ? 'it' : `'${key}'`} twice` } }
  }
  const named = [...found].map(([path, each]) => ({ ...each, operationId: each.name, method: '', path }))
  for (const { tool, theirs, document } of toolNames(named)) {
    if (!request.wants(tool)) continue
    const names = { theirs, toolkit: request.toolkit, tool }
    yield itemOf(document, names, upstream, listing, createBudget(UNITS, request.meter))
  }
}

function itemOf(
  document: JsonObject,
  { theirs, toolkit, tool }: { readonly theirs: string; readonly toolkit: string; readonly tool: string },
  { implementation, requirements, passUser }: Upstream,
  { source: dialect, decode }: ListedDialect,
  budget: Budget,
): ImportItem {
  const about = { tool: theirs }
  const skip = (reason: string): ImportItem => ({ skipped: { name: theirs, reason, about } })
  // Its depth first: what measures it goes as deep
  const foreign = foreignJsonProblem(document)
  if (foreign !== undefined) return skip(foreign)
  if (jsonSize(document, MAX_BYTES) > MAX_BYTES) return skip(`Is larger than ${MAX_BYTES} bytes`)
  const [unfit] = judgeWork(document, '', budget)
  if (unfit) return skip(unfit.message)
  const decoded = decode(document, tool, budget)
  if (!decoded.ok) return skip(problemsInWords(decoded.problems))
  const [definition] = decoded.value.definitions
  if (!definition) return skip('Is no tool')
  const { version: _, ...complete } = definition
  const { requirements: wanted } = document
  const user_id = passUser && isObject(wanted) && wanted['user_id'] === true
  return {
    tool: {
      definition: { ...complete, toolkit, tool, requirements: { ...requirements, user_id } },
      implementation: { ...implementation, tool: theirs },
      document,
      dialect,
      about,
      warnings: decoded.value.warnings.map((warning) => problemsInWords([warning])),
    },
  }
}
