import { isObject } from '../core/tool/json.ts'

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

/** Brings an answer to RFC 6749, section 5: providers send forms, nulls, and errors under status 200. */
export async function normalTokenResponse(response: Response): Promise<Response> {
  // As bytes: workerd warns when a form is read as text
  const text = new TextDecoder().decode(await response.arrayBuffer())
  const headers = new Headers(response.headers)
  // A challenge would stand in the way of the error that the body names
  headers.delete('www-authenticate')
  const fields = readFields(text, headers.get('content-type') ?? '')
  if (!fields) return new Response(text, { status: response.status, headers })

  const present = Object.entries(fields).filter(
    ([name, value]) => value !== null && (value !== '' || name === 'scope') && name !== 'id_token',
  )
  const body: Record<string, unknown> = Object.fromEntries(present)
  headers.set('content-type', 'application/json')
  const { error, token_type, expires_in } = body
  if (typeof error === 'string' && body['access_token'] === undefined) {
    body['error'] = ERRORS[error] ?? error
    return new Response(JSON.stringify(body), { status: response.ok ? 400 : response.status, headers })
  }
  if (token_type === undefined || token_type === 'user' || token_type === 'bot') body['token_type'] = 'bearer'
  if (!(Number(expires_in) > 0 && Number.isFinite(Number(expires_in)))) delete body['expires_in']
  return new Response(JSON.stringify(body), { status: response.status, headers })
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
