import { Unreachable } from '../core/failure/failure.ts'
import { jsonText } from '../http/answer/json-response.ts'
import type { OAuthAnswer } from '../storage/connect/connections.ts'

/** The answer of the authorization server as it is sent. */
export function oauthAnswer({ status, headers, body }: OAuthAnswer): Response {
  return new Response(body, { status, headers })
}

/** An error of the authorization server (RFC 6749, section 5.2). */
export function oauthError(status: number, error: string, description: string): Response {
  const headers = { 'cache-control': 'no-store', ...(status === 503 || status === 429 ? { 'retry-after': '1' } : {}) }
  return jsonText(JSON.stringify({ error, error_description: description }), status, headers)
}

/** The answer to whoever asks too often. */
export function tooMany(): Response {
  return oauthError(429, 'temporarily_unavailable', 'Too many requests: wait a little')
}

/** What comes of some work of the Connect object, or the answer while that cannot be reached. */
export async function reached<T>(work: () => Promise<T>): Promise<T | Response> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error
    return oauthError(503, 'temporarily_unavailable', error.message)
  }
}
