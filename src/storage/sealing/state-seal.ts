import { fail, ok, UnreachableError } from '../../core/failure/failure.ts'
import type { Seal } from '../../core/call/seal.ts'
import type { Sealer } from './deployment-keys.ts'

const TTL_MS = 3_600_000

/** A sealed text is its expiry time, a space, and the state. */
export function createStateSeal({ sealer, now }: { readonly sealer: Sealer; readonly now: () => number }): Seal {
  return {
    seal: (text, bound) => orUnavailable(() => sealer.seal(`${now() + TTL_MS} ${text}`, bound)),
    unseal: (sealed, bound) =>
      orUnavailable(async () => {
        const unsealedState = await sealer.unseal(sealed, bound)
        const [expires = ''] = unsealedState?.text.split(' ', 1) ?? []
        return unsealedState && now() < Number(expires) ? unsealedState.text.slice(expires.length + 1) : undefined
      }),
  }
}

async function orUnavailable<T>(work: () => Promise<T>) {
  try {
    return ok(await work())
  } catch (error) {
    if (!(error instanceof UnreachableError)) throw error
    console.error('Cannot seal', error)
    return fail({ type: 'unavailable', message: error.message })
  }
}
