import { raw } from './raw.ts'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // Tests check the contents
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
}

/** Sends JSON and reads JSON back. */
export async function sendJson(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const { pathname, search } = new URL(path, url)
  const answer = await raw(url, {
    method,
    path: pathname + search,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return {
    status: answer.status,
    headers: new Headers(
      Object.entries(answer.headers).flatMap(([name, of]) => [of ?? []].flat().map((one) => [name, one])),
    ),
    body: answer.text === '' ? undefined : JSON.parse(answer.text),
  }
}
