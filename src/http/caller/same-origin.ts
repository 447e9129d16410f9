/**
 * Whether a request that changes something may come from a page of ours, or from no page at all. Browsers say where a
 * request comes from in `Sec-Fetch-Site` (Fetch Metadata), which no page can forge; those that do not, and all over
 * plain http, send `Origin` with every POST. What sends neither is no browser, so no page made it send its cookies.
 */
export function isSameOrigin(request: Request): boolean {
  const site = request.headers.get('sec-fetch-site')
  if (site !== null) return site === 'same-origin'
  const origin = request.headers.get('origin')
  return origin === null || origin === new URL(request.url).origin
}

/**
 * Whether a request may come from a page of ours, from no page at all, or from a person who typed an address: what is only
 * read may be asked for so.
 */
export function isOwnPage(request: Request): boolean {
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  return (isRead && request.headers.get('sec-fetch-site') === 'none') || isSameOrigin(request)
}
