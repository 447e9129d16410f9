import { isObject, type JsonRecord, listObjects, getText } from './json.ts'

/**
 * Why something failed. The list is closed.
 *
 * - `input_invalid`: the tool takes no such input (`parameterErrors`)
 * - `authorization_required`: a person must do something first (`challenges`)
 * - `authorization_failed`: the person refused, or their time was over
 * - `requirements_missing`: the deployment or the call lacks a secret, a provider or a user (`missing`)
 * - `tool_failed`: the tool ran, or began to, and failed (`canRetry`)
 * - `refused`: the request is not in order, or there is no such tool or version (`suggestions`)
 * - `invalid`: the document or body that was sent is not in order (`problems`)
 * - `unauthenticated`, `forbidden`, `not_found`, `conflict`, `rate_limited`, `unavailable`: as in HTTP
 * - `internal`: Switchboard is at fault
 * - `unreachable`: nobody answered, or the connection was lost
 * - `answer_invalid`: the answer is not Switchboard's
 * - `timed_out`, `cancelled`: by `timeout`, by `signal`
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

/** A person must consent to access, or approve this very call. */
export interface Challenge {
  /** The provider's id; `approval` for an approval. */
  readonly id: string
  /** The page to show to the person. */
  readonly url: string
  /** Where its state can be read; absent where the call names no user. */
  readonly checkUrl?: string | undefined
  readonly scopes?: readonly string[] | undefined
  readonly user?: string | undefined
  /** When the link ends, in ISO 8601. */
  readonly expiresAt?: string | undefined
}

export interface MissingRequirements {
  /** Ids of secrets of the deployment. */
  readonly secrets: readonly string[]
  /** Ids of OAuth providers, which an administrator must set up first. */
  readonly providers: readonly string[]
  /** Whether the call must name a user. */
  readonly user: boolean
}

export interface ErrorDetails {
  /** For whoever wires the call. */
  readonly developerMessage?: string | undefined
  /** By the parameter's name. */
  readonly parameterErrors?: Readonly<Record<string, string>>
  readonly challenges?: readonly Challenge[]
  readonly missing?: MissingRequirements
  readonly problems?: readonly { readonly path: string; readonly message: string }[]
  /** Names near an unknown one. */
  readonly suggestions?: readonly string[]
  /** For the model that made the call. */
  readonly promptContent?: string | undefined
  /** Whether the same request may work later. */
  readonly canRetry?: boolean
  readonly retryAfterMs?: number | undefined
  readonly status?: number
  /** Under it the call can be made again without being run twice. */
  readonly callId?: string
}

/** The client throws nothing else. */
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

/** The error of a response that is not ok. `retryAfter` is its header; `mayRepeat` says whether the request may arrive twice. */
export function toError(
  status: number,
  body: unknown,
  retryAfter: string | null,
  mayRepeat: boolean,
): SwitchboardError {
  // Of JSON-RPC it is in 'error'
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
  // Without a provider or a user nobody can consent, and the links lead nowhere
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

/** The header `Retry-After`, seconds or a date (RFC 9110, section 10.2.3), in milliseconds. */
function parseRetryAfter(retryAfter: string | null): number | undefined {
  if (retryAfter === null) return undefined
  const ms = /^\d+$/.test(retryAfter.trim()) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
