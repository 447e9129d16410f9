/** No page can forge `Sec-Fetch-Site`; older browsers send `Origin` with a POST. Without either, no page sent cookies. */
export function isSameOrigin(request: Request): boolean {
  const site = request.headers.get('sec-fetch-site')
  if (site !== null) return site === 'same-origin'
  const origin = request.headers.get('origin')
  return origin === null || origin === new URL(request.url).origin
}

export function isOwnPage(request: Request): boolean {
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  return (isRead && request.headers.get('sec-fetch-site') === 'none') || isSameOrigin(request)
}
