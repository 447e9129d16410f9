import { request } from 'node:http'
import { text } from 'node:stream/consumers'

// Tests check the contents
// oxlint-disable-next-line typescript/no-explicit-any
type Told = any

/** Sends a file of JSON lines to `POST /import`, by default trusted, and reads the reports line by line meanwhile. */
export function sendLines(
  url: string,
  file: string,
  headers: Readonly<Record<string, string>>,
  query = '?trust=1',
): Promise<{ readonly status: number; readonly told: readonly Told[]; readonly last: Told }> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const sent = request({
      hostname,
      port,
      method: 'POST',
      path: `/import${query}`,
      headers: { 'content-type': 'application/jsonl', ...headers },
      agent: false,
    })
    sent.on('error', reject)
    sent.on('response', (answer) => {
      text(answer).then((said) => {
        const told = said
          .trim()
          .split('\n')
          .map((line): Told => JSON.parse(line))
        resolve({ status: answer.statusCode ?? 0, told, last: told.at(-1) })
        sent.destroy()
      }, reject)
    })
    sent.end(file)
  })
}
