import { buildQuery } from './query.ts'
import type { PageContext } from './visit.ts'

/** The number of a page's first item, counted from 1. */
export const FROM = 'from'

/** One page's part of a list that its route gives as a whole, as `Table` takes it. */
export function paginate<T>({ url }: Pick<PageContext, 'url'>, all: readonly T[], most: number) {
  const from = readOffset(url.searchParams) - 1
  const start = from < all.length ? from : 0
  const items = all.slice(start, start + most)
  const left = all.length - start - items.length
  if (left <= 0) return { items }
  const query = buildQuery({ ...Object.fromEntries(url.searchParams), [FROM]: String(start + most + 1) })
  return { items, more: { href: `${url.pathname}?${query}`, label: `Next ${Math.min(left, most)}` } }
}

export function readOffset(query: URLSearchParams): number {
  const [from = '1'] = /^[1-9]\d{0,8}$/.exec(query.get(FROM) ?? '') ?? []
  return Number(from)
}
