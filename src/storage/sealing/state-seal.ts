import { fail, ok, Unreachable } from '../../core/failure/failure.ts'
import type { Seal } from '../../core/call/seal.ts'
import type { Sealer } from './deployment-keys.ts'

export interface StateSealOptions {
  readonly sealer: Sealer
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** A person may take a while to answer. */
const TTL_MS = 3_600_000

/** Seals state that callers send back later: the time it expires, a space, and the text. */
export function createStateSeal({ sealer, now }: StateSealOptions): Seal {
  return {
    seal: (text, bound) => orUnavailable(() => sealer.seal(`${now() + TTL_MS} ${text}`, bound)),
    unseal: (sealed, bound) =>
      orUnavailable(async () => {
        const opened = await sealer.open(sealed, bound)
        const [expires = ''] = opened?.text.split(' ', 1) ?? []
        return opened && now() < Number(expires) ? opened.text.slice(expires.length + 1) : undefined
      }),
  }
}

async function orUnavailable<T>(work: () => Promise<T>) {
  try {
    return ok(await work())
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error
    console.error('Cannot seal', error)
    return fail({ type: 'unavailable', message: error.message })
  }
}
