import type { RunContext } from '../core/call/runner.ts'

/**
 * A call's context with new tokens, after a server answered 401 to those of the deployment's among these credentials;
 * undefined when there are none to be had.
 */
export async function withNewTokens(
  context: RunContext,
  credentials: readonly { readonly source: 'secret' | 'authorization'; readonly id: string }[],
): Promise<RunContext | undefined> {
  const { renew } = context
  if (!renew) return undefined
  const sent = new Set(credentials.flatMap(({ source, id }) => (source === 'authorization' ? [id] : [])))
  const tokens = new Map(context.tokens)
  let changed = false
  for (const provider of sent) {
    const token = tokens.get(provider)
    if (token?.from !== 'deployment') continue
    const value = await renew(provider, token.value)
    if (value === undefined) continue
    tokens.set(provider, { value, from: 'deployment' })
    changed = true
  }
  return changed ? { ...context, tokens } : undefined
}
