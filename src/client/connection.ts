import { formatJson, parsed, parseJson } from './json.ts'
import { toError, SwitchboardError } from './switchboard-error.ts'

export interface ConnectionOptions {
  /** The deployment's address, such as `https://switchboard.example.workers.dev`. */
  readonly url: string | URL
  readonly key?: string | undefined
  /** Lets the key be sent over plain http to a host that is not this machine, for whoever is on the way to read. */
  readonly allowHttp?: boolean | undefined
  readonly attempts?: number | undefined
  readonly fetch?: typeof fetch | undefined
  /** Called before a request waits a second or more to be sent again, such as for a limit. */
  readonly onWait?: ((ms: number, reason: SwitchboardError) => void) | undefined
}

export interface Ask<T> {
  readonly method?: string
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | undefined>> | undefined
  readonly json?: unknown
  readonly body?: NonNullable<RequestInit['body']>
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
  /** Milliseconds for the answer to begin: half a minute by default, five for a request with bytes; `Infinity` for none. */
  readonly answerWithin?: number
  /** Whether the request may arrive twice; `GET` may by default. */
  readonly repeatable?: boolean
  /** Reads a successful answer; its connection may be lost meanwhile. */
  readonly read: (response: Response) => Promise<T>
}

export interface Connection {
  /** Sends a request until it is answered; throws a `SwitchboardError` for a failure. */
  ask<T>(ask: Ask<T>): Promise<T>
  /** The same for an answer that is JSON, whose form is not checked. */
  json<T>(ask: Omit<Ask<T>, 'read'>): Promise<T>
}

const ATTEMPTS = 5
const PAUSE_MS = 200
const MAX_PAUSE_MS = 10_000
const MAX_WAIT_MS = 60_000
const ANSWER_MS = 30_000
const UPLOAD_ANSWER_MS = 300_000
const MAX_TIMER_MS = 2_147_483_647
/** The characters of a header: `fetch` would repeat the key in its own error. */
const KEY = /^[\x21-\x7e]+$/

export function connect(options: ConnectionOptions): Connection {
  const { key, attempts = ATTEMPTS } = options
  const send = options.fetch ?? ((input, init) => fetch(input, init))
  const base = parseAddress(options.url)
  if (key !== undefined && !KEY.test(key))
    throw new SwitchboardError('refused', 'The key has characters that no key has')

  if (key !== undefined && base.protocol === 'http:' && !isLoopback(base) && !options.allowHttp) {
    const message = `A key for '${base.origin}' could be read on the way, as http is not encrypted: wanted https, or 'allowHttp' for a network that you trust`
    throw new SwitchboardError('refused', message)
  }

  async function once<T>(url: URL, ask: Ask<T>, again: boolean): Promise<T> {
    const { method = 'GET', json, signal, read } = ask
    const headers = {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...ask.headers,
    }
    const body = json === undefined ? ask.body : formatJson(json)
    const within = ask.answerWithin ?? (ask.body === undefined ? ANSWER_MS : UPLOAD_ANSWER_MS)
    const silence = new AbortController()
    const timer = setTimeout(() => silence.abort(), Math.min(within, MAX_TIMER_MS))
    try {
      const response = await send(url, {
        method,
        headers,
        ...(body === undefined ? {} : { body }),
        // A redirect would take the key, or the trust in the answer, to another host
        redirect: 'manual',
        // A signal of its own, since listeners of a shared one would gather
        signal: AbortSignal.any([silence.signal, ...(signal ? [signal] : [])]),
      })
      clearTimeout(timer)
      if (response.ok) return await read(response)
      throw toError(response.status, parsed(await response.text()), response.headers.get('retry-after'), again)
    } catch (error) {
      if (error instanceof SwitchboardError) throw error
      if (signal?.aborted) throw endedBy(signal)
      if (silence.signal.aborted)
        throw new SwitchboardError('timed_out', `${url.origin} did not answer within ${within / 1_000} s`, {}, error)
      throw new SwitchboardError('unreachable', `Cannot reach ${url.origin}`, { canRetry: again }, error)
    } finally {
      clearTimeout(timer)
    }
  }

  async function ask<T>(request: Ask<T>): Promise<T> {
    const { method = 'GET', path, query = {}, signal } = request
    // Set as the path, so that `//elsewhere` does not take the key to another host
    const url = new URL('/', base)
    url.pathname = path
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value))
    }
    const again = request.repeatable ?? method === 'GET'
    for (let attempt = 1; ; attempt++) {
      if (signal?.aborted) throw endedBy(signal)
      try {
        return await once(url, request, again)
      } catch (error) {
        if (!(error instanceof SwitchboardError)) throw error
        const pause = pauseBefore(attempt, error)
        if (pause === undefined || attempt >= attempts) throw error
        if (pause >= 1_000) options.onWait?.(pause, error)
        await sleep(pause, signal)
      }
    }
  }

  return {
    ask,
    json: (request) =>
      ask({
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
 * Milliseconds to wait before the next attempt; undefined for none, as where a tool says what to send instead. Randomness
 * keeps callers from coming back together.
 */
function pauseBefore(attempt: number, { details: { canRetry, promptContent, retryAfterMs = 0 } }: SwitchboardError) {
  if (!canRetry || promptContent !== undefined || retryAfterMs > MAX_WAIT_MS) return undefined
  return retryAfterMs + Math.random() * Math.min(MAX_PAUSE_MS, PAUSE_MS * 2 ** attempt)
}

export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      if (signal) reject(endedBy(signal))
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end)
      resolve()
    }, ms)
    if (signal?.aborted) end()
    else signal?.addEventListener('abort', end, { once: true })
  })
}

function endedBy({ reason }: AbortSignal): SwitchboardError {
  const isLate = reason instanceof Error && reason.name === 'TimeoutError'
  return isLate
    ? new SwitchboardError('timed_out', 'There was no answer in time', {}, reason)
    : new SwitchboardError('cancelled', 'The request was canceled', {}, reason)
}

export function isLoopback({ hostname }: URL): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)
}

function parseAddress(url: string | URL): URL {
  const address = URL.canParse(String(url)) ? new URL(url) : undefined
  if (address && /^https?:$/.test(address.protocol) && address.username + address.password === '') return address
  throw new SwitchboardError('refused', 'Invalid address: wanted one such as https://switchboard.example.workers.dev')
}
