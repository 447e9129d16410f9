import { type FailureResult, fail } from '../../core/failure/failure.ts'

interface NormalizerOptions {
  /** The origin of PUBLIC_URL. */
  readonly publicUrl: string | undefined
  readonly isSelfHosted: boolean
}

/** Cloudflare's edge sets it, and clients cannot. */
const CLIENT_ADDRESS = 'cf-connecting-ip'

/** More than any route's path or query has. Each part takes time whenever an address is parsed. */
const MAX_PARTS = 64

/**
 * Runs first. The client's address comes from the platform, never from a header that the client set. With PUBLIC_URL,
 * requests for another host are misdirected (421).
 */
export function createRequestNormalizer({
  publicUrl,
  isSelfHosted,
}: NormalizerOptions): (request: Request) => Request | FailureResult {
  const publicOrigin = publicUrl === undefined ? undefined : new URL(publicUrl)
  let isAtEdge = false

  return (received) => {
    if (received.url.length > MAX_PARTS && hasTooManyParts(received.url)) {
      const message = `Cannot read the address: its path or its query has more than ${MAX_PARTS} parts`
      return fail({ type: 'request-malformed', message })
    }
    // `cf` is parsed once per isolate. Self-hosted, it proves nothing, because clients of Miniflare's sockets could set it
    isAtEdge ||= !isSelfHosted && received.cf !== undefined
    const request = isAtEdge || !received.headers.has(CLIENT_ADDRESS) ? received : dropClientAddress(received)
    return publicOrigin ? checkHost(request, publicOrigin) : request
  }

  function checkHost(request: Request, { origin, protocol, host }: URL): Request | FailureResult {
    const { url: href, headers } = request
    const hostHeader = headers.get('host') ?? host
    if (hostHeader === host && href.startsWith(`${origin}/`)) return request
    const receivedUrl = new URL(href)
    const isHere = [receivedUrl.host, hostHeader].every(
      (authority) => URL.parse(`${protocol}//${authority}`)?.host === host,
    )
    if (isHere && isSelfHosted) return new Request(`${origin}${receivedUrl.pathname}${receivedUrl.search}`, request)
    if (isHere && receivedUrl.protocol === protocol) return request
    const message = `This deployment only serves '${origin}' (PUBLIC_URL)`
    return fail({ type: 'misdirected', message })
  }
}

function hasTooManyParts(url: string): boolean {
  const end = url.indexOf('?')
  const path = end === -1 ? url : url.slice(0, end)
  const parts = [path.split(/\/|%2f/i, MAX_PARTS + 1), url.slice(path.length).split('&', MAX_PARTS + 1)]
  return parts.some(({ length }) => length > MAX_PARTS)
}

function dropClientAddress(request: Request): Request {
  const headers = new Headers(request.headers)
  headers.delete(CLIENT_ADDRESS)
  return new Request(request, { headers })
}
