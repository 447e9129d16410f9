import type { Catalogue, ListQuery } from '../../core/catalogue/catalogue.ts'
import { type Principal, scopeDenial } from '../../core/access/principal.ts'
import { didYouMean, quoted } from '../../core/tool/problem.ts'
import { noteHeader } from './json-response.ts'

export interface Narrowing {
  readonly toolkit?: string | undefined
  readonly tag?: string | undefined
  readonly isSearch?: boolean
}

export async function whyEmpty(
  { toolkit, tag, isSearch }: Narrowing,
  principal: Principal,
  catalogue: Catalogue,
): Promise<Readonly<Record<string, string>> | undefined> {
  const lists = `GET /tools?toolkit=${toolkit}`
  const unknown = toolkit === undefined ? undefined : await unknownAmong([toolkit], principal, catalogue)
  if (unknown !== undefined) {
    // Nobody else may tell a toolkit whose tools are all disabled from one that is not there
    const mayTell = !scopeDenial(principal, 'tools:publish')
    const query: ListQuery = { toolkit, versions: 'all', status: 'disabled', limit: 1 }
    const listing = mayTell ? await catalogue.list(query, principal, { name: 'stored' }) : undefined
    const disabled = `No tool of '${toolkit}' is active: ${lists}&status=disabled lists the disabled ones`
    return noteHeader(listing?.lines.length ? disabled : unknown)
  }
  if (isSearch) return undefined
  const place = toolkit === undefined ? 'here' : `in '${toolkit}'`
  if (tag !== undefined) return noteHeader(`There is no tool with that tag ${place}`)
  if (!toolkit) return undefined
  return noteHeader(`No tool of '${toolkit}' is shown here: ${lists}&versions=all lists all that there are`)
}

export async function unknownAmong(names: readonly string[], principal: Principal, catalogue: Catalogue) {
  const unknown = names.length === 0 ? undefined : await catalogue.unknown(names, principal)
  if (!unknown) return undefined
  const { name, known, isNear } = unknown
  const kind = name.includes('.') ? 'tool' : 'toolkit'
  const others = isNear ? didYouMean(known) : known.length === 0 ? '' : `: there are ${quoted(known)}`
  return `There is no ${kind} '${name}' here${others}`
}
