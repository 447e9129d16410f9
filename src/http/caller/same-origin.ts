/**
 * Browsers say where a request comes from in `Sec-Fetch-Site`, which no page can forge; older ones, and all over plain
 * http, send `Origin` with every POST. Without either it is no browser's, so no page made it send cookies.
 */
export function isSameOrigin(request: Request): boolean {
  const site = request.headers.get('sec-fetch-site')
  if (site !== null) return site === 'same-origin'
  const origin = request.headers.get('origin')
  return origin === null || origin === new URL(request.url).origin
}

/** For requests that only read, which a person may also make by typing the address. */
export function isOwnPage(request: Request): boolean {
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  return (isRead && request.headers.get('sec-fetch-site') === 'none') || isSameOrigin(request)
}
