import { buildQuery } from './query.ts'
import type { PageContext } from './page-context.ts'

/** The number of a page's first item, counted from 1. */
export const OFFSET_PARAMETER = 'from'

/** Returns one page of a list that its route returns in full, as props of `Table`. */
export function paginate<T>({ url }: Pick<PageContext, 'url'>, allItems: readonly T[], pageSize: number) {
  const offset = readOffset(url.searchParams) - 1
  const start = offset < allItems.length ? offset : 0
  const items = allItems.slice(start, start + pageSize)
  const remaining = allItems.length - start - items.length
  if (remaining <= 0) return { items }
  const query = buildQuery({
    ...Object.fromEntries(url.searchParams),
    [OFFSET_PARAMETER]: String(start + pageSize + 1),
  })
  return { items, nextPage: { href: `${url.pathname}?${query}`, label: `Next ${Math.min(remaining, pageSize)}` } }
}

export function readOffset(query: URLSearchParams): number {
  const [offset = '1'] = /^[1-9]\d{0,8}$/.exec(query.get(OFFSET_PARAMETER) ?? '') ?? []
  return Number(offset)
}
