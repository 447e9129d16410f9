import type { AuthorizationChallenge } from '../../core/consent/authorization.ts'
import { isJsonArray, isObject } from '../../core/tool/json.ts'
import { FOREIGN_JSON, parseJson } from '../../core/tool/json-text.ts'
import type { Content } from '../../core/tool/content.ts'
import { formatToolId } from '../../core/tool/tool-id.ts'
import type { ToolRecord } from '../../core/tool/tool.ts'
import { isContentType, readCallToolResult } from '../shared/call-tool-result.ts'
import type { UpstreamResult } from '../shared/retrying-call.ts'
import { failureMeta } from '../shared/server-failure.ts'
import type { Endpoint } from './endpoint.ts'
import { toFailedCall } from './failed-call.ts'
import { readPersonUrl } from './person-facing.ts'

const MISSING_KEY = 'dev.switchboard/missing_requirements'
const STATUSES = ['not_started', 'pending', 'completed', 'failed'] as const
const MAX_CHALLENGES = 32
const ID = /^[^\p{C}]{1,128}$/u

/** Reads a CallToolResult (MCP or the plugin schema). */
export function fromCallToolResult(
  { content, structuredContent, isError, _meta }: Readonly<Record<string, unknown>>,
  record: ToolRecord,
  endpoint: Endpoint,
): UpstreamResult {
  // A later revision may have more types. The tool has run, so blocks of known types are its output
  const blocks = (isJsonArray(content) ? content : []).filter((block) => !isObject(block) || isContentType(block.type))
  const read = readCallToolResult(blocks, structuredContent, isError === true, endpoint.host)
  if (read.ok) {
    const { content } = read
    const isText = structuredContent === undefined && typeof read.value === 'string'
    const value = isText ? parseTextAsOutput(read.value, record) : read.value
    if (value === undefined)
      return toFailedCall(`The tool ran, but its text does not match the output schema: ${read.value}`, endpoint)
    return { result: isEcho(content, value) ? { ok: true, value } : { ...read, value } }
  }
  const challenge = toUpstreamChallenge(isObject(_meta) ? _meta[MISSING_KEY] : undefined, record, endpoint)
  if (challenge) return challenge
  const { message = read.message, ...fields } = failureMeta(_meta)
  const contentField = read.content && !isEcho(read.content, read.message) ? { content: read.content } : {}
  return toFailedCall(message, endpoint, { ...fields, ...contentField })
}

/**
 * Reads the output of a tool that sends only text: MCP requires the JSON of a structured value as text beside it, and some
 * servers send nothing else. Undefined if the output schema requires an object or a list that the text does not contain.
 */
function parseTextAsOutput(text: string, { output }: ToolRecord): unknown {
  const type = isObject(output) ? output.type : undefined
  if (type !== 'object' && type !== 'array') return text
  const read = parseJson(text, FOREIGN_JSON)
  const isFitting = read.ok && (type === 'object' ? isObject(read.value) : isJsonArray(read.value))
  return isFitting ? read.value : undefined
}

/** Checks whether the content only repeats the value or the message, for clients that read only text. */
function isEcho([block, ...more]: readonly Content[], value: unknown): boolean {
  if (block?.type !== 'text' || block.annotations || more.length > 0) return false
  return block.text === (typeof value === 'string' ? value : JSON.stringify(value))
}

/**
 * Passes on requests for a person's consent, if nothing else is missing. Leaves out the server's `check_url`, because our
 * caller would send its key there.
 */
export function toUpstreamChallenge(
  missing: unknown,
  record: ToolRecord,
  { host, redact }: Endpoint,
): UpstreamResult | undefined {
  if (!isObject(missing) || !isJsonArray(missing.authorization) || missing.user_id === true) return undefined
  if (isJsonArray(missing.secrets) && missing.secrets.length > 0) return undefined
  if (missing.authorization.length > MAX_CHALLENGES) return undefined
  const challenges = missing.authorization.map((each) => readChallenge(each, redact))
  const authorization = challenges.filter((each) => each !== undefined)
  if (authorization.length === 0 || authorization.length < challenges.length) return undefined
  const detail = `${host} wants a person's consent first`
  const tool = formatToolId(record)
  const more = { tool, authorization, secrets: [], user_id: false, detail }
  return { result: { ok: false, missing: { type: 'requirements-missing', ...more } } }
}

function readChallenge(challenge: unknown, redact: Endpoint['redact']): AuthorizationChallenge | undefined {
  if (!isObject(challenge)) return undefined
  const { id, authorization, scopes, status } = challenge
  const url = readPersonUrl(challenge['url'])
  if (!isId(id) || url === undefined) return undefined
  return {
    id: redact(id),
    ...(isId(authorization) ? { authorization: redact(authorization) } : {}),
    url: redact(url),
    scopes: isJsonArray(scopes) ? scopes.slice(0, MAX_CHALLENGES).filter(isId).map(redact) : [],
    status: STATUSES.find((each) => each === status) ?? 'not_started',
  }
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && ID.test(value)
}
