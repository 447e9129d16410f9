export interface Answer {
  readonly status: number
  readonly headers: Headers
  // What came back is what a test is about to look at
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
}

/** Sends JSON and reads JSON back. */
export async function sendJson(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(url + path, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) }
}
