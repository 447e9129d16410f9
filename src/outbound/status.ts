/** Reason phrases (RFC 9110 section 15): HTTP/2 sends none. */
const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  408: 'Request Timeout',
  409: 'Conflict',
  410: 'Gone',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  425: 'Too Early',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
}

const TRANSIENT = new Set([408, 425, 429])

/** `Retry-After` in milliseconds from `now` (RFC 9110 section 10.2.3), which is seconds or a date. */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
  const text = headers.get('retry-after')?.trim() ?? ''
  if (/^\d{1,10}$/.test(text)) return Number(text) * 1000
  // An HTTP date starts with the name of a day. Without this check, Date.parse would accept "5.5" or "-1" as a date.
  const date = /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) : NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

export function formatStatus(status: number): string {
  const reason = REASONS[status]
  return reason === undefined ? String(status) : `${status} ${reason}`
}

export function isTransient(status: number): boolean {
  return TRANSIENT.has(status) || status >= 500
}

/** Whether a gateway reports that its server did not answer. Excludes 503, which a busy server sends itself. */
export function isUnanswered(status: number): boolean {
  return status === 502 || status === 504
}

export function mayHaveRun(status: number): boolean {
  return status >= 500 && status !== 503
}

export function isBusy(status: number): boolean {
  return status === 429 || status === 503
}
