import type { Catalogue } from '../../core/catalogue/catalogue.ts'
import type { Principal } from '../../core/access/principal.ts'

/**
 * Says which toolkit or tool the principal sees nothing of, whether or not there is one, and what is called much like it. An agent
 * whose toolset is chosen by a name that is spelt wrong would have nothing, and be told nothing of it.
 */
export async function unknownAmong(
  names: readonly string[],
  principal: Principal,
  catalogue: Catalogue,
): Promise<string | undefined> {
  const unknown = names.length === 0 ? undefined : await catalogue.unknown(names, principal)
  if (!unknown) return undefined
  const { name, known, isNear } = unknown
  const what = name.includes('.') ? 'tool' : 'toolkit'
  const quoted = known.map((each) => `'${each}'`).join(', ')
  const others = isNear ? `: did you mean ${quoted}?` : known.length === 0 ? '' : `: there are ${quoted}`
  return `There is no ${what} '${name}' here${others}`
}
