const EXPOSED = 'WWW-Authenticate, Mcp-Session-Id, Retry-After, Switchboard-Note'
const METHODS = 'GET, POST, DELETE, OPTIONS'
const HEADER_NAMES = /^[\w, -]{1,2000}$/
const MAX_AGE_S = '600'

/** Fetch Standard, "CORS protocol", for the origins that the deployment names. Cookies are never allowed. */
export function crossOriginHeaders(
  request: Request,
  origins: ReadonlySet<string>,
): Readonly<Record<string, string>> | undefined {
  const origin = request.headers.get('origin')
  if (origin === null || !origins.has(origin)) return undefined
  const headers = { 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED }
  if (request.method !== 'OPTIONS') return headers
  const names = request.headers.get('access-control-request-headers') ?? ''
  return {
    ...headers,
    'access-control-allow-methods': METHODS,
    ...(HEADER_NAMES.test(names) ? { 'access-control-allow-headers': names } : {}),
    'access-control-max-age': MAX_AGE_S,
    'vary': 'Origin, Access-Control-Request-Headers',
  }
}

export function preflight(headers: Readonly<Record<string, string>>): Response {
  return new Response(null, { status: 204, headers })
}

export function addCorsHeaders(response: Response, headers: Readonly<Record<string, string>>): Response {
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
  response.headers.append('vary', 'Origin')
  return response
}
