import { createSemaphore } from '../../outbound/semaphore.ts'
import { jsonTextResponse } from '../response/json-response.ts'

interface HealthOptions {
  /** Returns why storage cannot be used, in a text for the public; undefined if it can. May reject. */
  readonly probe: () => Promise<string | undefined>
  readonly now: () => number
  readonly sleep: (ms: number) => Promise<void>
}

/** How long a probe may take, and how long its result is reused. */
const WAIT_MS = 2_000
const HEALTHY_MS = 5_000
const FAULTY_MS = 1_000
const MAX_PROBES = 4
const RETRY_MS = 25
const NO_RESPONSE = 'Storage does not answer'

/** The route is public, so storage is probed rarely. Requests share no promise, because I/O ends with its request. */
export function createHealth({ probe, now, sleep }: HealthOptions): () => Promise<Response> {
  let fault: string | undefined
  let knownUntil = -Infinity
  const probes = createSemaphore(MAX_PROBES)

  async function runProbe(): Promise<void> {
    fault = await Promise.race([probe().catch(() => NO_RESPONSE), sleep(WAIT_MS).then(() => NO_RESPONSE)])
    knownUntil = now() + (fault === undefined ? HEALTHY_MS : FAULTY_MS)
  }

  async function waitForResult(): Promise<boolean> {
    for (let waitedMs = 0; now() >= knownUntil && waitedMs < 2 * WAIT_MS; waitedMs += RETRY_MS) {
      const permit = probes.take(now(), WAIT_MS)
      if (permit) {
        await runProbe()
        permit.release()
        return true
      }
      await sleep(RETRY_MS)
    }
    return now() < knownUntil
  }

  return async () => {
    const isKnown = await waitForResult()
    if (isKnown && fault === undefined) return jsonTextResponse('{"status":"ok"}')
    const body = { status: 'unavailable', message: fault ?? NO_RESPONSE }
    return jsonTextResponse(JSON.stringify(body), 503, { 'cache-control': 'no-store', 'retry-after': '1' })
  }
}
