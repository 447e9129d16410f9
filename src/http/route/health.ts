import { createPlaces } from '../../outbound/places.ts'
import { jsonText } from '../answer/json-response.ts'

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
/** Requests that ask storage at a time; the others wait for what those are told. */
const MAX_ASKING = 4
const LOOK_AGAIN_MS = 25

/**
 * Makes the answer to whoever asks whether the deployment is well: 200 with `{"status": "ok", "version"}`, or 503 while storage
 * does not answer. Anybody may ask, so storage is asked once in a while, by a few at a time, and waited for no longer than a
 * moment. No promise is shared: what one request waits for ends with it, and its place is another's a moment later.
 */
export function createHealth({ version, probe, now, sleep }: HealthOptions): () => Promise<Response> {
  let answered = true
  let knownUntil = -Infinity
  const asking = createPlaces(MAX_ASKING)

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

  /** Whether it is known in time how storage is. */
  async function look(): Promise<boolean> {
    for (let waited = 0; now() >= knownUntil && waited < 2 * WAIT_MS; waited += LOOK_AGAIN_MS) {
      const place = asking.take(now(), WAIT_MS)
      if (!place) {
        await sleep(LOOK_AGAIN_MS)
        continue
      }
      await ask()
      place.giveBack()
      return true
    }
    return now() < knownUntil
  }

  return async () => {
    const isKnown = await look()
    if (isKnown && answered) return jsonText(JSON.stringify({ status: 'ok', version }))
    const body = { status: 'unavailable', version, message: 'Storage does not answer' }
    return jsonText(JSON.stringify(body), 503, { 'cache-control': 'no-store', 'retry-after': '1' })
  }
}
