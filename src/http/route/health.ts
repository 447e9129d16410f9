import { createSemaphore } from '../../outbound/semaphore.ts'
import { jsonText } from '../response/json-response.ts'

export interface HealthOptions {
  /** Gives why storage cannot be used, for anybody to read; fails where nobody knows. */
  readonly probe: () => Promise<string | undefined>
  readonly now: () => number
  readonly sleep: (ms: number) => Promise<void>
}

/** How long storage may take, and how long its answer and its silence are believed. */
const WAIT_MS = 2_000
const ANSWERED_MS = 5_000
const SILENT_MS = 1_000
const MAX_ASKING = 4
const LOOK_AGAIN_MS = 25
const SILENT = 'Storage does not answer'

/** Anybody may request it, so storage is probed rarely. No promise is shared: work of one request ends with it. */
export function createHealth({ probe, now, sleep }: HealthOptions): () => Promise<Response> {
  let fault: string | undefined
  let knownUntil = -Infinity
  const asking = createSemaphore(MAX_ASKING)

  async function ask(): Promise<void> {
    fault = await Promise.race([probe().catch(() => SILENT), sleep(WAIT_MS).then(() => SILENT)])
    knownUntil = now() + (fault === undefined ? ANSWERED_MS : SILENT_MS)
  }

  async function look(): Promise<boolean> {
    for (let waited = 0; now() >= knownUntil && waited < 2 * WAIT_MS; waited += LOOK_AGAIN_MS) {
      const permit = asking.take(now(), WAIT_MS)
      if (permit) {
        await ask()
        permit.release()
        return true
      }
      await sleep(LOOK_AGAIN_MS)
    }
    return now() < knownUntil
  }

  return async () => {
    const isKnown = await look()
    if (isKnown && fault === undefined) return jsonText('{"status":"ok"}')
    const body = { status: 'unavailable', message: fault ?? SILENT }
    return jsonText(JSON.stringify(body), 503, { 'cache-control': 'no-store', 'retry-after': '1' })
  }
}
