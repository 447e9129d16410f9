import { isObject, type JsonObject } from '../../../core/tool/json.ts'
import type { RunContext } from '../../../core/call/runner.ts'
import { failureFields } from '../../shared/failure-fields.ts'
import type { ServerOutcome } from '../../shared/server-call.ts'
import { excerpt } from '../../shared/server-failure.ts'
import type { Endpoint, RemoteDeps } from '../endpoint.ts'
import { failed, refused } from '../failed-call.ts'
import type { RemoteImplementation } from '../implementation.ts'
import { askServer } from './server.ts'

const SCHEMA = 'urn:oxp:1.0'

/**
 * Calls a tool once (OXP 1.0, "Call tool"). The server gets the input, the user's id where wanted, and no secrets or
 * tokens but the endpoint's.
 */
export async function callOxp(
  { tool, pass_user }: Pick<RemoteImplementation, 'tool' | 'pass_user'>,
  input: JsonObject,
  endpoint: Endpoint,
  { signal, userId, answered }: RunContext,
  { guardedFetch, now }: RemoteDeps,
): Promise<ServerOutcome> {
  const context = pass_user && userId !== undefined ? { context: { user_id: userId } } : {}
  const body = JSON.stringify({ $schema: SCHEMA, request: { tool_id: tool, input, ...context } })
  const answer = await askServer('/tools/call', endpoint, { body, signal }, guardedFetch)
  if (!answer.ok) return answer.failed
  const { status, document, text } = answer
  answered?.(status)
  if (status >= 200 && status < 300) return decodeAnswer(document, text, endpoint)
  const said = isObject(document) ? wordsFor(status, document, endpoint) : undefined
  return said ?? refused(answer, endpoint, now())
}

function decodeAnswer(document: unknown, text: string, endpoint: Endpoint): ServerOutcome {
  const result = isObject(document) && isObject(document['result']) ? document['result'] : document
  if (!isObject(result) || typeof result['success'] !== 'boolean') {
    return failed(`${endpoint.host} answered what is not OXP`, excerpt(text, endpoint.redact), endpoint)
  }
  const { success, value, error } = result
  if (success) return { result: { ok: true, value: value ?? null } }
  const message = isObject(error) ? error['message'] : undefined
  const { developer_message, ...more } = failureFields(error)
  return failed(
    typeof message === 'string' && message !== '' ? message : 'The tool failed and did not say why',
    developer_message === undefined ? undefined : excerpt(developer_message, endpoint.redact),
    endpoint,
    more,
  )
}

/** Undefined where the status says more than the body. */
function wordsFor(
  status: number,
  document: Readonly<Record<string, unknown>>,
  endpoint: Endpoint,
): ServerOutcome | undefined {
  const { message, developer_message, missing_requirements: missing, parameter_errors: wrong } = document
  if (typeof message !== 'string' || (status !== 400 && status !== 422)) return undefined
  const developer = typeof developer_message === 'string' ? excerpt(developer_message, endpoint.redact) : undefined
  const more = isObject(missing) ? missingWords(missing) : isObject(wrong) ? parameterWords(wrong) : ''
  return failed(`${endpoint.host} says: ${message}${more === '' ? '' : ` (${more})`}`, developer, endpoint)
}

function missingWords({ authorization, secrets, user_id }: Readonly<Record<string, unknown>>): string {
  const ids = (list: unknown, words: (entry: Readonly<Record<string, unknown>>) => string) =>
    (Array.isArray(list) ? list : []).flatMap((entry: unknown) => (isObject(entry) ? [words(entry)] : []))
  return [
    ...ids(
      authorization,
      ({ id, url }) => `a person's consent at '${String(id)}'${typeof url === 'string' ? `: ${url}` : ''}`,
    ),
    ...ids(secrets, ({ id }) => `its secret '${String(id)}'`),
    ...(user_id === true ? ["a user's id"] : []),
  ].join('; ')
}

function parameterWords(wrong: Readonly<Record<string, unknown>>): string {
  return Object.entries(wrong)
    .map(([name, why]) => `'${name}': ${String(why)}`)
    .join('; ')
}
