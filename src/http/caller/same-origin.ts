/**
 * Whether no page of another origin sent the request. Pages cannot forge `Sec-Fetch-Site`; older browsers send `Origin` with
 * a POST. A request without either header was not sent by a page that has cookies.
 */
export function isSameOrigin(request: Request): boolean {
  const site = request.headers.get('sec-fetch-site')
  if (site !== null) return site === 'same-origin'
  const origin = request.headers.get('origin')
  return origin === null || origin === new URL(request.url).origin
}

/** Whether the request has the same origin, or is a read that a person started, such as by typing the address. */
export function isOwnPage(request: Request): boolean {
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  return (isRead && request.headers.get('sec-fetch-site') === 'none') || isSameOrigin(request)
}
