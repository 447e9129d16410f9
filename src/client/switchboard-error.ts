import { isObject, type JsonRecord, listObjects, getText } from './json.ts'

/**
 * The reason for a failure. The list is closed.
 *
 * - `input_invalid`: the tool does not accept this input (`parameterErrors`)
 * - `authorization_required`: a person must consent or approve first (`challenges`)
 * - `authorization_failed`: the person refused, or did not finish in time
 * - `requirements_missing`: the deployment or the call lacks a secret, a provider or a user (`missing`)
 * - `tool_failed`: the tool ran, or started to, and failed (`canRetry`)
 * - `refused`: the request is invalid, or the tool or version does not exist (`suggestions`)
 * - `invalid`: the document or body of the request is invalid (`problems`)
 * - `unauthenticated`, `forbidden`, `not_found`, `conflict`, `rate_limited`, `unavailable`: as in HTTP
 * - `internal`: an error in Switchboard
 * - `unreachable`: there was no response, or the connection was lost
 * - `answer_invalid`: the response is not from Switchboard
 * - `timed_out`, `cancelled`: ended by `timeout` or by `signal`
 */
export type ErrorCode =
  | 'input_invalid'
  | 'authorization_required'
  | 'authorization_failed'
  | 'requirements_missing'
  | 'tool_failed'
  | 'refused'
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'rate_limited'
  | 'unavailable'
  | 'internal'
  | 'unreachable'
  | 'answer_invalid'
  | 'timed_out'
  | 'cancelled'

/** Asks a person to consent to access, or to approve this call. */
export interface Challenge {
  /** The provider's id; `approval` for an approval. */
  readonly id: string
  /** The page to show to the person. */
  readonly url: string
  /** URL of the challenge's state. Absent if the call names no user. */
  readonly checkUrl?: string | undefined
  readonly scopes?: readonly string[] | undefined
  readonly user?: string | undefined
  /** When the link expires, in ISO 8601. */
  readonly expiresAt?: string | undefined
}

export interface MissingRequirements {
  /** Ids of secrets that the deployment lacks. */
  readonly secrets: readonly string[]
  /** Ids of OAuth providers that an administrator must set up first. */
  readonly providers: readonly string[]
  /** Whether the call must name a user. */
  readonly user: boolean
}

export interface ErrorDetails {
  /** Details for the developer who integrates the tool. */
  readonly developerMessage?: string | undefined
  /** Messages by parameter name. */
  readonly parameterErrors?: Readonly<Record<string, string>>
  readonly challenges?: readonly Challenge[]
  readonly missing?: MissingRequirements
  readonly problems?: readonly { readonly path: string; readonly message: string }[]
  /** Names similar to an unknown one. */
  readonly suggestions?: readonly string[]
  /** Advice for the model that made the call. */
  readonly promptContent?: string | undefined
  /** Whether the same request may work later. */
  readonly canRetry?: boolean
  readonly retryAfterMs?: number | undefined
  readonly status?: number
  /** The call can be repeated with this id without running twice. */
  readonly callId?: string
}

/** The only error that the client throws. */
export class SwitchboardError extends Error {
  override readonly name = 'SwitchboardError'
  readonly code: ErrorCode
  readonly details: ErrorDetails

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause })
    this.code = code
    this.details = details
  }
}

const CODES: Readonly<Record<number, ErrorCode>> = {
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  410: 'not_found',
  422: 'invalid',
  429: 'rate_limited',
  503: 'unavailable',
}

/** Converts an error response. `retryAfter` is its header; `mayRepeat` is whether the request may arrive twice. */
export function toError(
  status: number,
  body: unknown,
  retryAfter: string | null,
  mayRepeat: boolean,
): SwitchboardError {
  // JSON-RPC has it in 'error'
  const message = getText(body, 'message') ?? getText(isObject(body) && body['error'], 'message')
  if (!isObject(body) || message === undefined) {
    const canRetry = (status === 429 || status === 503) && mayRepeat
    const details = { status, canRetry, retryAfterMs: parseRetryAfter(retryAfter) }
    if (canRetry) return new SwitchboardError(CODES[status] ?? 'unavailable', `HTTP ${status}`, details)
    return new SwitchboardError('answer_invalid', `The server is not a Switchboard: HTTP ${status}`, { status })
  }
  const baseDetails = { status, developerMessage: getText(body, 'developer_message') }
  const missing = body['missing_requirements']
  if (isObject(missing)) return toRequirementsError(message, missing, baseDetails)
  const parameters = body['parameter_errors']
  if (isObject(parameters)) {
    const entries = Object.entries(parameters).map(([name, why]) => [name, String(why)])
    return new SwitchboardError('input_invalid', message, {
      ...baseDetails,
      parameterErrors: Object.fromEntries(entries),
    })
  }
  const suggestions = body['suggestions']
  const texts = Array.isArray(suggestions) ? suggestions.filter((each) => typeof each === 'string') : []
  const problems = listObjects(body, 'errors').map((each) => {
    return { path: getText(each, 'path') ?? '', message: getText(each, 'message') ?? '' }
  })
  const code = CODES[status] ?? (status >= 500 ? 'internal' : 'refused')
  // OXP's `message` for a missing version does not name the version
  const namesVersion = texts.some((each) => message.includes(each)) || baseDetails.developerMessage === undefined
  const suggestionText = texts.length === 0 ? '' : `: there is ${texts.map((each) => `'${each}'`).join()}`
  const fullMessage =
    code !== 'refused' || namesVersion ? message : `${message}: ${baseDetails.developerMessage}${suggestionText}`
  return new SwitchboardError(code, fullMessage, {
    ...baseDetails,
    ...(Array.isArray(suggestions) ? { suggestions: texts } : {}),
    ...(Array.isArray(body['errors']) ? { problems } : {}),
    canRetry: status === 429 || (status === 503 && mayRepeat),
    retryAfterMs: parseRetryAfter(retryAfter),
  })
}

function toRequirementsError(message: string, missing: JsonRecord, baseDetails: ErrorDetails): SwitchboardError {
  const authorization = listObjects(missing, 'authorization')
  const unconfigured = missing['needs_setup']
  const providers = Array.isArray(unconfigured) ? unconfigured.map(String) : []
  const secrets = listObjects(missing, 'secrets').map(({ id }) => String(id))
  const user = missing['user_id'] === true
  // Without a provider or a user, consent is impossible and the links do not work
  const challenges = (providers.length > 0 || user ? [] : authorization).flatMap((each) => {
    const { id, url } = each
    return typeof id === 'string' && typeof url === 'string' ? [{ id, url, checkUrl: getText(each, 'check_url') }] : []
  })
  const code = challenges.length > 0 ? 'authorization_required' : 'requirements_missing'
  const missingDetails = secrets.length + providers.length > 0 || user ? { missing: { secrets, providers, user } } : {}
  return new SwitchboardError(code, message, {
    ...baseDetails,
    ...(challenges.length > 0 ? { challenges } : {}),
    ...missingDetails,
  })
}

export function toToolError(error: unknown, message: string): SwitchboardError {
  const retryAfterMs = isObject(error) ? error['retry_after_ms'] : undefined
  return new SwitchboardError('tool_failed', message, {
    developerMessage: getText(error, 'developer_message'),
    promptContent: getText(error, 'additional_prompt_content'),
    canRetry: isObject(error) && error['can_retry'] === true,
    retryAfterMs: typeof retryAfterMs === 'number' ? retryAfterMs : undefined,
  })
}

/** Converts a `Retry-After` header, seconds or a date (RFC 9110, section 10.2.3), to milliseconds. */
function parseRetryAfter(retryAfter: string | null): number | undefined {
  if (retryAfter === null) return undefined
  const ms = /^\d+$/.test(retryAfter.trim()) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
