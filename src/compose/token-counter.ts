import type { CountTokens, TokenRanks } from '../core/tool/tokens.ts'
import type { Env } from '../env.ts'

const RANKS_URL = 'https://assets.invalid/o200k_base.json'

/**
 * Gives a function that loads the counter of tokens. The ranks are an asset, since they are larger than the Worker. The
 * counter is freed when memory is short and nobody uses it. Throws if the deployment has no assets.
 */
export function createTokenCounterLoader(env: Env): () => Promise<CountTokens> {
  let lastCounter: WeakRef<CountTokens> | undefined
  return async () => {
    const counter = lastCounter?.deref()
    if (counter) return counter
    const response = await env.ASSETS?.fetch(RANKS_URL)
    if (!response?.ok) throw new Error(`The deployment has no asset ${RANKS_URL}`)
    const { createTokenCounter } = await import('../core/tool/tokens.ts')
    const newCounter = createTokenCounter(await response.json<TokenRanks>())
    lastCounter = new WeakRef(newCounter)
    return newCounter
  }
}
