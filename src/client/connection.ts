/**
 * Sends requests to one deployment. Every failure is a `SwitchboardError`.
 *
 * 1. `connect` checks the address and the key without sending anything. A key is sent over plain http only to this machine,
 *    or with `allowHttp`.
 * 2. The response to each attempt must start within a time limit. `timeoutMs` limits all attempts together, until the
 *    response is read. Redirects are not followed: they count as failures.
 * 3. A temporary failure (`canRetry`) is retried, up to `attempts` attempts in total. The delay is the one that the response
 *    asks for, plus a random one whose maximum doubles. A lost connection or a 503 counts as temporary only if the request
 *    may arrive twice; a 429 always does, unless the response is not from Switchboard.
 * 4. There is no retry after a `Retry-After` of more than a minute, an error with advice for the model, or a tool failure
 *    that took ten seconds.
 */
import { formatJson, tryParseJson, parseJson } from './json.ts'
import { toError, SwitchboardError } from './switchboard-error.ts'

export interface ConnectionOptions {
  /** The deployment's address, such as `https://switchboard.example.workers.dev`. */
  readonly url: string | URL
  readonly key?: string | undefined
  /** Allows sending the key over plain http to another machine, where anyone on the network path can read it. */
  readonly allowHttp?: boolean | undefined
  readonly attempts?: number | undefined
  /** Time limit in milliseconds for each request with its retries, until the response is read. No limit by default. */
  readonly timeoutMs?: number | undefined
  /** Aborts all requests that do not have their own signal. */
  readonly signal?: AbortSignal | undefined
  readonly fetch?: typeof fetch | undefined
  /** Called before a retry if the failed attempt plus the delay take a second or more, such as for a rate limit. */
  readonly onWait?: ((ms: number, reason: SwitchboardError) => void) | undefined
}

export interface ConnectionRequest<T> {
  readonly method?: string
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | undefined>> | undefined
  readonly json?: unknown
  readonly body?: NonNullable<RequestInit['body']>
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
  /** Milliseconds until the response must start: 30 s by default, 5 min for a request with bytes; `Infinity` for no limit. */
  readonly responseTimeoutMs?: number
  /** Overrides the connection's `timeoutMs`, such as with `Infinity` while waiting for a person. */
  readonly timeoutMs?: number | undefined
  /** Whether the request may arrive twice. Defaults to true for `GET` only. */
  readonly isRepeatable?: boolean
  /** Reads a successful response. The connection may be lost while it reads. */
  readonly read: (response: Response) => Promise<T>
}

export interface Connection {
  /** Sends a request, with retries. Throws a `SwitchboardError` if it fails. */
  send<T>(request: ConnectionRequest<T>): Promise<T>
  /** Like `send`, but parses the response as JSON, without checking its shape. */
  sendJson<T>(request: Omit<ConnectionRequest<T>, 'read'>): Promise<T>
}

const DEFAULT_ATTEMPTS = 5
const BASE_DELAY_MS = 200
const MAX_DELAY_MS = 10_000
const MAX_RETRY_AFTER_MS = 60_000
const RESPONSE_TIMEOUT_MS = 30_000
const MAX_REPEATED_FAILURE_MS = 10_000
const UPLOAD_RESPONSE_TIMEOUT_MS = 300_000
const MAX_TIMER_MS = 2_147_483_647
/** Characters that a header allows. With any other, `fetch` would repeat the key in its error. */
const KEY_PATTERN = /^[\x21-\x7e]+$/

export function connect(options: ConnectionOptions): Connection {
  const { key, attempts = DEFAULT_ATTEMPTS } = options
  const doFetch = options.fetch ?? ((input, init) => fetch(input, init))
  const base = parseAddress(options.url)
  if (key !== undefined && !KEY_PATTERN.test(key))
    throw new SwitchboardError('refused', 'The key has characters that no key has')

  if (key !== undefined && base.protocol === 'http:' && !isLoopback(base) && !options.allowHttp) {
    const message = `A key for '${base.origin}' could be read on the way, as http is not encrypted: wanted https, or 'allowHttp' for a network that you trust`
    throw new SwitchboardError('refused', message)
  }

  async function sendOnce<T>(url: URL, request: ConnectionRequest<T>, mayRepeat: boolean): Promise<T> {
    const { method = 'GET', json, signal, read } = request
    const headers = {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...request.headers,
    }
    const body = json === undefined ? request.body : formatJson(json)
    const defaultTimeoutMs = request.body === undefined ? RESPONSE_TIMEOUT_MS : UPLOAD_RESPONSE_TIMEOUT_MS
    const timeoutMs = request.responseTimeoutMs ?? options.timeoutMs ?? defaultTimeoutMs
    const responseTimeout = new AbortController()
    const timer = setTimeout(() => responseTimeout.abort(), Math.min(timeoutMs, MAX_TIMER_MS))
    try {
      const response = await doFetch(url, {
        method,
        headers,
        ...(body === undefined ? {} : { body }),
        // A redirect could send the key to another host, or take the response from one
        redirect: 'manual',
        // A separate signal, because listeners would accumulate on a shared one
        signal: AbortSignal.any([responseTimeout.signal, ...(signal ? [signal] : [])]),
      })
      clearTimeout(timer)
      if (response.ok) return await read(response)
      throw toError(
        response.status,
        tryParseJson(await response.text()),
        response.headers.get('retry-after'),
        mayRepeat,
      )
    } catch (error) {
      if (error instanceof SwitchboardError) throw error
      if (signal?.aborted) throw toAbortError(signal)
      if (responseTimeout.signal.aborted)
        throw new SwitchboardError('timed_out', `${url.origin} did not answer within ${timeoutMs / 1_000} s`, {}, error)
      throw new SwitchboardError('unreachable', `Cannot reach ${url.origin}`, { canRetry: mayRepeat }, error)
    } finally {
      clearTimeout(timer)
    }
  }

  async function send<T>(request: ConnectionRequest<T>): Promise<T> {
    const { method = 'GET', path, query = {}, timeoutMs = options.timeoutMs } = request
    const signal = withTimeout(request.signal ?? options.signal, timeoutMs)
    // Set as the path, so that `//elsewhere` cannot send the key to another host
    const url = new URL('/', base)
    url.pathname = path
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value))
    }
    const mayRepeat = request.isRepeatable ?? method === 'GET'
    for (let attempt = 1; ; attempt++) {
      if (signal?.aborted) throw toAbortError(signal)
      const sentAt = Date.now()
      try {
        return await sendOnce(url, { ...request, signal }, mayRepeat)
      } catch (error) {
        if (!(error instanceof SwitchboardError)) throw error
        const failedMs = Date.now() - sentAt
        // A retry would fail just as slowly
        if (error.code === 'tool_failed' && failedMs >= MAX_REPEATED_FAILURE_MS) throw error
        const delayMs = getRetryDelay(attempt, error)
        if (delayMs === undefined || attempt >= attempts) throw error
        if (failedMs + delayMs >= 1_000) options.onWait?.(delayMs, error)
        await sleep(delayMs, signal)
      }
    }
  }

  return {
    send,
    sendJson: (request) =>
      send({
        ...request,
        async read(response) {
          const text = await response.text()
          try {
            return parseJson(text)
          } catch {
            throw new SwitchboardError('answer_invalid', 'The server is not a Switchboard', { status: response.status })
          }
        },
      }),
  }
}

/**
 * Returns the milliseconds to wait before the next attempt, or undefined to stop, such as when a tool says what to send
 * instead. Randomness keeps callers from retrying at the same time.
 */
function getRetryDelay(attempt: number, { details: { canRetry, promptContent, retryAfterMs = 0 } }: SwitchboardError) {
  if (!canRetry || promptContent !== undefined || retryAfterMs > MAX_RETRY_AFTER_MS) return undefined
  const randomMs = Math.random() * Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** attempt)
  return Math.min(MAX_RETRY_AFTER_MS, retryAfterMs + randomMs)
}

/** Adds a timeout in milliseconds to a signal. */
export function withTimeout(signal: AbortSignal | undefined, timeoutMs: number | undefined): AbortSignal | undefined {
  if (timeoutMs === undefined) return signal
  const timeoutSignal = AbortSignal.timeout(Math.min(timeoutMs, MAX_TIMER_MS))
  return signal ? AbortSignal.any([signal, timeoutSignal]) : timeoutSignal
}

export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer)
      if (signal) reject(toAbortError(signal))
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    if (signal?.aborted) onAbort()
    else signal?.addEventListener('abort', onAbort, { once: true })
  })
}

function toAbortError({ reason }: AbortSignal): SwitchboardError {
  const isTimeout = reason instanceof Error && reason.name === 'TimeoutError'
  return isTimeout
    ? new SwitchboardError('timed_out', 'There was no answer in time', {}, reason)
    : new SwitchboardError('cancelled', 'The request was canceled', {}, reason)
}

export function readNote({ headers }: Response): string | undefined {
  return headers.get('switchboard-note') ?? undefined
}

export function isLoopback({ hostname }: URL): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)
}

function parseAddress(url: string | URL): URL {
  const address = URL.canParse(String(url)) ? new URL(url) : undefined
  if (address && /^https?:$/.test(address.protocol) && address.username + address.password === '') return address
  const typed = String(url).replace(/^([^/]*\/\/).*@/, '$1…@')
  const message = `Invalid address '${typed}': wanted one such as https://switchboard.example.workers.dev`
  throw new SwitchboardError('refused', message)
}
