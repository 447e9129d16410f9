import type { ImportItem, ImportRequest } from '../core/publish/import.ts'
import type { Decoded } from '../core/tool/codec.ts'
import { isObject, type JsonObject } from '../core/tool/json.ts'
import type { Checked, Problem } from '../core/tool/problem.ts'
import { foreignJsonProblem } from './shared/foreign-json.ts'
import type { Upstream } from './upstream.ts'

/** One tool of another server as it lists it. */
export interface UpstreamTool {
  /** What the server calls it. */
  readonly theirs: string
  /** What it is called here. */
  readonly own: string
  readonly document: JsonObject
  /** As which the document is kept. */
  readonly dialect: string
}

/** Makes an importable tool of another server's by decoding its document, or says why there is none. */
export function upstreamItem(
  { theirs, own, document, dialect }: UpstreamTool,
  { toolkit }: ImportRequest,
  { implementation, requirements, passUser }: Upstream,
  decode: () => Checked<Decoded>,
): ImportItem {
  const about = { tool: theirs }
  const skip = (reason: string): ImportItem => ({ skipped: { name: theirs, reason, about } })
  const unfit = foreignJsonProblem(document)
  if (unfit !== undefined) return skip(unfit)
  const decoded = decode()
  if (!decoded.ok) return skip(decoded.problems.map(inWords).join('; '))
  const [definition] = decoded.value.definitions
  if (!definition) return skip('Is no tool')
  const { version: _, ...complete } = definition
  const { requirements: wanted } = document
  const user_id = passUser && isObject(wanted) && wanted['user_id'] === true
  return {
    tool: {
      definition: { ...complete, toolkit, tool: own, requirements: { ...requirements, user_id } },
      implementation: { ...implementation, tool: theirs },
      document,
      dialect,
      about,
      warnings: decoded.value.warnings.map(inWords),
    },
  }
}

function inWords({ path, message }: Problem): string {
  return path === '' ? message : `${path}: ${message}`
}
