import { NEEDS_CREDENTIAL, type Principal } from '../core/access/principal.ts'
import type { Catalog } from '../core/catalog/catalog.ts'
import { fail, ok, type Result } from '../core/failure/failure.ts'
import type { CountTokens, TokenRanks } from '../core/tool/tokens.ts'
import type { Env } from '../env.ts'
import { yieldToEventLoop } from '../outbound/event-loop.ts'

const RANKS_URL = 'https://assets.invalid/o200k_base.json'

/**
 * Returns a function that loads the token counter. The ranks are an asset, because they are larger than the Worker. An unused
 * counter is freed when memory is short. Throws if the deployment has no assets.
 */
export function createTokenCounterLoader(env: Env): () => Promise<CountTokens> {
  let lastCounter: WeakRef<CountTokens> | undefined
  return async () => {
    const counter = lastCounter?.deref()
    if (counter) return counter
    const response = await env.ASSETS?.fetch(RANKS_URL)
    if (!response?.ok) throw new Error(`The deployment has no asset ${RANKS_URL}`)
    const { createTokenCounter } = await import('../core/tool/tokens.ts')
    const ranks = await response.json<TokenRanks>()
    // Requests do not wait for each other, so another one may have created it meanwhile
    const newCounter = lastCounter?.deref() ?? createTokenCounter(ranks)
    lastCounter = new WeakRef(newCounter)
    return newCounter
  }
}

/** A thousand tools use half of it. */
const MAX_CHARACTERS = 4 * 1024 * 1024

/**
 * Returns a function that counts the tokens of the definitions that the newest MCP revision lists to a principal, for all
 * tools or one toolkit. Fails if this would take seconds, and for callers without a credential.
 */
export function createDefinitionTokenCounter(env: Env, catalog: Pick<Catalog, 'list'>) {
  const loadTokenCounter = createTokenCounterLoader(env)
  return async (principal: Principal, toolkit?: string): Promise<Result<number>> => {
    if (principal.kind === 'anonymous') return fail(NEEDS_CREDENTIAL)
    if (!env.ASSETS)
      return fail({ type: 'unavailable', message: 'The deployment has no assets, which tokens are counted with' })
    const [countTokens, { countListTokens }, { createLineFormat }, { LIST_FORMAT_2026 }] = await Promise.all([
      loadTokenCounter(),
      import('../core/tool/tokens.ts'),
      import('../dialects/mcp/tools-list.ts'),
      import('../dialects/mcp/revisions/2026-07-28.ts'),
    ])
    const query = { toolkit, versions: 'newest', limit: Infinity, callable: true } as const
    const format = createLineFormat(LIST_FORMAT_2026, { select: false, bare: false })
    const reserve = async (characters: number) => characters <= MAX_CHARACTERS
    const listing = await catalog.list(query, principal, format, { reserve })
    const isCut = !listing || listing.isOutOfMemory || listing.nextCursor !== undefined
    // A toolset's versions may be larger than the ones that memory was reserved for
    if (isCut || listing.lines.join('').length > MAX_CHARACTERS)
      return fail({ type: 'conflict', message: 'The definitions are too large to count their tokens' })
    return ok((await countListTokens(listing.lines, countTokens, yieldToEventLoop)).total)
  }
}
