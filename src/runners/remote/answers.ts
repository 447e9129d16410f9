import type { AuthorizationChallenge } from '../../core/consent/authorization.ts'
import { isList, isObject } from '../../core/tool/json.ts'
import type { Content } from '../../core/tool/content.ts'
import { formatToolId } from '../../core/tool/tool-id.ts'
import type { ToolRecord } from '../../core/tool/tool.ts'
import { readCallToolResult } from '../shared/call-tool-result.ts'
import type { ServerOutcome } from '../shared/retrying-call.ts'
import { failureMeta } from '../shared/server-failure.ts'
import type { Endpoint } from './endpoint.ts'
import { failed } from './failed-call.ts'

const MISSING_KEY = 'dev.switchboard/missing_requirements'
const STATUSES = ['not_started', 'pending', 'completed', 'failed'] as const
const MAX_CHALLENGES = 32
const MAX_URL = 2_048
/** A person is shown it: no character that cannot be seen may make it look like another. */
const WEB_URL = /^https?:\/\/[^/\s\p{C}][^\s\p{C}]*$/iu
const ID = /^[^\p{C}]{1,128}$/u

/** A CallToolResult (MCP, or the plugin schema). */
export function toolResult(
  { content, structuredContent, isError, _meta }: Readonly<Record<string, unknown>>,
  record: ToolRecord,
  endpoint: Endpoint,
): ServerOutcome {
  const read = readCallToolResult(isList(content) ? content : [], structuredContent, isError === true, endpoint.host)
  if (read.ok) {
    const { value, content } = read
    return { result: isEcho(content, value) ? { ok: true, value } : read }
  }
  const challenge = challenged(isObject(_meta) ? _meta[MISSING_KEY] : undefined, record, endpoint)
  if (challenge) return challenge
  const { developer_message, message = read.message, ...more } = failureMeta(_meta)
  const shown = read.content && !isEcho(read.content, read.message) ? { content: read.content } : {}
  return failed(message, developer_message, endpoint, { ...more, ...shown })
}

/** The value, or the message, once more: for clients that read texts alone. */
function isEcho([block, ...more]: readonly Content[], value: unknown): boolean {
  if (block?.type !== 'text' || block.annotations || more.length > 0) return false
  return block.text === (typeof value === 'string' ? value : JSON.stringify(value))
}

/** A person's consent is passed on where nothing else is missing, with nothing to ask of a URL: that would take our caller's key there. */
export function challenged(
  missing: unknown,
  record: ToolRecord,
  { host, redact }: Endpoint,
): ServerOutcome | undefined {
  if (!isObject(missing) || !isList(missing.authorization) || missing.user_id === true) return undefined
  if (isList(missing.secrets) && missing.secrets.length > 0) return undefined
  if (missing.authorization.length > MAX_CHALLENGES) return undefined
  const challenges = missing.authorization.map((each) => readChallenge(each, redact))
  const authorization = challenges.filter((each) => each !== undefined)
  if (authorization.length === 0 || authorization.length < challenges.length) return undefined
  const detail = `${host} wants a person's consent first`
  const tool = formatToolId(record)
  const more = { tool, authorization, secrets: [], user_id: false, detail }
  return { result: { ok: false, missing: { type: 'requirements-missing', ...more } } }
}

function readChallenge(said: unknown, redact: Endpoint['redact']): AuthorizationChallenge | undefined {
  if (!isObject(said)) return undefined
  const { id, authorization, url, scopes, status } = said
  if (!isId(id) || typeof url !== 'string' || url.length > MAX_URL || !WEB_URL.test(url) || !URL.canParse(url))
    return undefined
  return {
    id: redact(id),
    ...(isId(authorization) ? { authorization: redact(authorization) } : {}),
    url: redact(url),
    scopes: isList(scopes) ? scopes.slice(0, MAX_CHALLENGES).filter(isId).map(redact) : [],
    status: STATUSES.find((each) => each === status) ?? 'not_started',
  }
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && ID.test(value)
}
