import type { ImportItem, ImportRequest } from '../core/publish/import.ts'
import { judgeWork, MAX_BYTES } from '../core/publish/definition-rules.ts'
import { type Budget, createBudget, UNITS } from '../core/tool/budget.ts'
import type { Decoded } from '../core/tool/codec.ts'
import { isJsonObject, isObject, type JsonObject, jsonSize } from '../core/tool/json.ts'
import { check, type Reader } from '../core/tool/json-reader.ts'
import { type Checked, problemsInWords } from '../core/tool/problem.ts'
import { foreignJsonProblem } from './shared/foreign-json.ts'
import { toolNames } from './shared/tool-names.ts'
import type { Upstream } from './upstream.ts'

export interface UpstreamProtocol {
  readonly dialect: string
  readonly named: Reader<NamedTool | undefined>
  readonly decode: (document: JsonObject, own: string, budget: Budget) => Checked<Decoded>
}

interface NamedTool {
  readonly theirs: string
  readonly key: string
  readonly name: string
}

export function* upstreamItems(
  request: ImportRequest,
  upstream: Upstream,
  listing: UpstreamProtocol,
): Generator<ImportItem> {
  const found = new Map<string, NamedTool & { readonly document: JsonObject }>()
  for (const [index, document] of upstream.tools.entries()) {
    const read = check(listing.named, document)
    if (!read.ok) yield { skipped: { name: `tool ${index}`, reason: problemsInWords(read.problems) } }
    if (!read.ok || !read.value || !isJsonObject(document)) continue
    const { theirs, key } = read.value
    if (!found.has(key)) found.set(key, { ...read.value, document })
    else yield { skipped: { name: theirs, reason: `The server lists ${key === theirs ? 'it' : `'${key}'`} twice` } }
  }
  const named = [...found.values()].map((each) => ({ ...each, operationId: each.name, method: '', path: each.key }))
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
  { dialect, decode }: UpstreamProtocol,
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
