import type { PageContext } from './page-context.ts'

/** Reads the filters in a page's URL, by name. A missing filter is empty. */
export function readFilters<Name extends string>({ url }: PageContext, names: readonly Name[]) {
  const filters: Partial<Record<Name, string>> = {}
  for (const name of names) filters[name] = url.searchParams.get(name)?.trim() ?? ''
  return filters
}

export function buildQuery(filters: Readonly<Record<string, string | undefined>>): URLSearchParams {
  return new URLSearchParams(Object.entries(filters).flatMap(([name, value]) => (value ? [[name, value]] : [])))
}
