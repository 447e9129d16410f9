import type { Catalog, ListQuery } from '../../core/catalog/catalog.ts'
import { type Principal, findScopeDenial } from '../../core/access/principal.ts'
import { didYouMean, quoteList } from '../../core/tool/problem.ts'
import { noteHeader } from './json-response.ts'

export interface ListFilter {
  readonly toolkit?: string | undefined
  readonly tag?: string | undefined
  readonly isSearch?: boolean
}

export async function explainEmptyList(
  { toolkit, tag, isSearch }: ListFilter,
  principal: Principal,
  catalog: Catalog,
): Promise<Readonly<Record<string, string>> | undefined> {
  const listUrl = `GET /tools?toolkit=${toolkit}`
  const unknown = toolkit === undefined ? undefined : await findUnknownAmong([toolkit], principal, catalog)
  if (unknown !== undefined) {
    // Only publishers may learn that a toolkit exists if all of its tools are disabled
    const maySeeDisabled = !findScopeDenial(principal, 'tools:publish')
    const query: ListQuery = { toolkit, versions: 'all', status: 'disabled', limit: 1 }
    const listing = maySeeDisabled ? await catalog.list(query, principal, { name: 'stored' }) : undefined
    const disabled = `No tool of '${toolkit}' is active: ${listUrl}&status=disabled lists the disabled ones`
    return noteHeader(listing?.lines.length ? disabled : unknown)
  }
  if (isSearch) return undefined
  const location = toolkit === undefined ? 'here' : `in '${toolkit}'`
  if (tag !== undefined) return noteHeader(`There is no tool with that tag ${location}`)
  if (!toolkit) return undefined
  return noteHeader(`No tool of '${toolkit}' is shown here: ${listUrl}&versions=all lists all that there are`)
}

export async function findUnknownAmong(names: readonly string[], principal: Principal, catalog: Catalog) {
  const unknown = names.length === 0 ? undefined : await catalog.findUnknownName(names, principal)
  if (!unknown) return undefined
  const { name, known, isNear } = unknown
  const kind = name.includes('.') ? 'tool' : 'toolkit'
  const suggestions = isNear ? didYouMean(known) : known.length === 0 ? '' : `: there are ${quoteList(known)}`
  return `There is no ${kind} '${name}' here${suggestions}`
}
