import type { PageVisit } from './visit.ts'

/** The filters in the address of a page, by name; one that is not there is empty. */
export function filtersOf<Name extends string>({ url }: PageVisit, names: readonly Name[]) {
  const filters = names.map((name) => [name, url.searchParams.get(name)?.trim() ?? ''])
  return Object.fromEntries(filters) as Readonly<Record<Name, string>>
}

export function queryOf(filters: Readonly<Record<string, string | undefined>>): URLSearchParams {
  return new URLSearchParams(Object.entries(filters).flatMap(([name, value]) => (value ? [[name, value]] : [])))
}
