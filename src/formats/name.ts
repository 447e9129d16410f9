import type { Loss } from '../core/tool/codec.ts'

const MAX_NAME = 64

/**
 * A tool's name as a provider accepts it: 1 to 64 of `[A-Za-z0-9_-]`, begun by a letter or `_` where the provider wants
 * that. Names of the registry are so but for their beginning; what is changed joins `losses`.
 */
export function providerName(name: string, losses: Loss[], beginsWith: 'any' | 'letter' = 'any'): string {
  const allowed = name.replace(/[^A-Za-z0-9_-]/g, '_')
  const begun = allowed === '' || (beginsWith === 'letter' && !/^[A-Za-z_]/.test(allowed)) ? `_${allowed}` : allowed
  const accepted = begun.slice(0, MAX_NAME)
  if (accepted !== name) losses.push({ path: '/name', reason: `Becomes '${accepted}', as the provider wants names` })
  return accepted
}
