import { isJsonArray, isObject, isStringArray } from '../core/tool/json.ts'

const ERRORS: Readonly<Record<string, string>> = {
  bad_verification_code: 'invalid_grant',
  bad_refresh_token: 'invalid_grant',
  incorrect_client_credentials: 'invalid_client',
  invalid_code: 'invalid_grant',
  code_already_used: 'invalid_grant',
  invalid_refresh_token: 'invalid_grant',
  token_revoked: 'invalid_grant',
  token_expired: 'invalid_grant',
  account_inactive: 'invalid_grant',
  bad_client_secret: 'invalid_client',
  invalid_client_id: 'invalid_client',
}

const UNNAMED_ERROR = 'unnamed_error'

/**
 * Converts a response to RFC 6749, section 5. Providers send forms, nulls, lists of scopes, other 2xx statuses, errors with
 * status 200, and errors in nonstandard fields. HTML is not changed: a proxy sent it, not the token endpoint.
 */
export async function normalizeTokenResponse(response: Response): Promise<Response> {
  // Read as bytes, because workerd warns when a form is read as text
  const text = new TextDecoder().decode(await response.arrayBuffer())
  const headers = new Headers(response.headers)
  // A challenge would hide the error in the body
  headers.delete('www-authenticate')
  const { status, ok: isOk } = response
  // An error without a readable body
  const isBareRefusal = (status === 400 || status === 401) && !text.trimStart().startsWith('<')
  const fields = readFields(text, headers.get('content-type') ?? '') ?? (isBareRefusal ? {} : undefined)
  if (!fields) return new Response(text, { status, headers })

  const present = Object.entries(fields).filter(
    ([name, value]) => value !== null && (value !== '' || name === 'scope') && name !== 'id_token',
  )
  const body: Record<string, unknown> = Object.fromEntries(present)
  headers.set('content-type', 'application/json')
  const { token_type, expires_in, scope } = body
  const isError = !isOk || body['error'] !== undefined
  if (isError && body['access_token'] === undefined) {
    const error = findErrorCode(body) ?? UNNAMED_ERROR
    return new Response(JSON.stringify({ ...body, error: ERRORS[error] ?? error }), {
      status: isOk ? 400 : status,
      headers,
    })
  }
  if (token_type === undefined || token_type === 'user' || token_type === 'bot') body['token_type'] = 'bearer'
  if (!(Number(expires_in) > 0 && Number.isFinite(Number(expires_in)))) delete body['expires_in']
  if (isStringArray(scope)) body['scope'] = scope.join(' ')
  return new Response(JSON.stringify(body), { status: isOk ? 200 : status, headers })
}

/** Finds `error` as in RFC 6749; otherwise, in an object in its place, the first of `errors`, or a code next to a message. */
function findErrorCode(body: Readonly<Record<string, unknown>>): string | undefined {
  const { error, errors } = body
  const [firstError]: readonly unknown[] = isJsonArray(errors) ? errors : []
  const candidates = [error, firstError, body].flatMap((place) =>
    isObject(place) ? [place.error, place.code, place.type, place.errorType, place.status] : [place],
  )
  return candidates.find((value): value is string => typeof value === 'string' && value !== '')
}

function readFields(text: string, type: string): Readonly<Record<string, unknown>> | undefined {
  if (type.includes('application/x-www-form-urlencoded')) return Object.fromEntries(new URLSearchParams(text))
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
