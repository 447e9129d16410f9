import type { JsonObject } from '../tool/json.ts'
import type { Report } from './report.ts'

/** What came of a publication, as its act is written down: which versions are new, which of these await review, and how many documents were none or were refused. */
export function publishedOf(reports: readonly Report[]): JsonObject {
  const all = reports.flatMap((report) => (report.ok ? [report] : []))
  const published = all.filter(({ outcome }) => outcome === 'created').flatMap(({ ids }) => ids)
  const pending = all.flatMap((report) => report.pending ?? [])
  const unchanged = all.filter(({ outcome }) => outcome === 'unchanged').length
  const refused = reports.length - all.length
  return {
    published,
    ...(pending.length > 0 ? { pending } : {}),
    ...(unchanged > 0 ? { unchanged } : {}),
    ...(refused > 0 ? { refused } : {}),
  }
}
