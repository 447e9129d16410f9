import { jsonText } from './json-response.ts'

export interface HealthOptions {
  readonly version: string
  /** Resolves when storage answers. */
  readonly probe: () => Promise<unknown>
  /** Milliseconds since some fixed point. */
  readonly now: () => number
  readonly sleep: (ms: number) => Promise<void>
}

/** How long storage may take to answer, and for how long what it did is believed, in milliseconds. */
const WAIT_MS = 2_000
const ANSWERED_MS = 5_000
const SILENT_MS = 1_000

/**
 * Makes the answer to whoever asks whether the deployment is well: 200 with `{"status": "ok", "version"}`, or 503 while storage
 * does not answer. Anybody may ask, so storage is asked once in a while, and waited for no longer than a moment.
 */
export function createHealth({ version, probe, now, sleep }: HealthOptions): () => Promise<Response> {
  let answered = true
  let knownUntil = -Infinity

  async function ask(): Promise<void> {
    const answers = await Promise.race([
      probe().then(
        () => true,
        () => false,
      ),
      sleep(WAIT_MS).then(() => false),
    ])
    answered = answers
    knownUntil = now() + (answers ? ANSWERED_MS : SILENT_MS)
  }

  return async () => {
    if (now() >= knownUntil) await ask()
    if (answered) return jsonText(JSON.stringify({ status: 'ok', version }))
    const body = { status: 'unavailable', version, message: 'Storage does not answer' }
    return jsonText(JSON.stringify(body), 503, { 'cache-control': 'no-store', 'retry-after': '1' })
  }
}
