import type { JsonObject } from '../tool/json.ts'
import { type Guard, guardOf } from '../access/guard.ts'
import type { Problem } from '../tool/problem.ts'
import type { ImportState, Prepared } from './prepare.ts'
import type { PublicationOutcome } from './registry.ts'

export type PublicationFailure =
  | { readonly type: 'definition-invalid'; readonly problems: readonly Problem[] }
  | { readonly type: 'forbidden'; readonly reason: string }
  | { readonly type: 'conflict'; readonly message: string }

export type PublicationReport =
  | {
      readonly ok: true
      readonly outcome: 'created' | 'unchanged'
      readonly ids: readonly string[]
      readonly warnings: readonly Problem[]
      readonly leftOut?: readonly string[]
      readonly pending?: readonly string[]
      readonly uncallable?: readonly string[]
      readonly state?: ImportState
      readonly guard?: Guard
    }
  | { readonly ok: false; readonly ids: readonly string[]; readonly failure: PublicationFailure }

export function refusal(failure: PublicationFailure, ids: readonly string[] = []): PublicationReport {
  return { ok: false, ids, failure }
}

export function reportOf(
  published: PublicationOutcome,
  { warnings, state, records = [] }: Pick<Prepared, 'warnings' | 'state'> & Partial<Prepared>,
): PublicationReport {
  const { ids } = published
  const [record] = records
  // An unchanged version may have got its implementation before
  const isNew = published.outcome === 'created'
  const uncallable = isNew ? records.filter(({ implementation }) => !implementation).map(({ id }) => id) : []
  const guard = state === undefined || record === undefined ? undefined : guardOf(record)
  switch (published.outcome) {
    case 'created':
    case 'unchanged':
      return {
        ok: true,
        outcome: published.outcome,
        ids,
        warnings: [...warnings, ...(published.warnings ?? []).map((message) => ({ path: '', message }))],
        ...(published.leftOut ? { leftOut: published.leftOut } : {}),
        ...(published.pending ? { pending: published.pending } : {}),
        ...(uncallable.length > 0 ? { uncallable } : {}),
        ...(state === undefined ? {} : { state }),
        ...(guard ? { guard } : {}),
      }
    case 'forbidden':
      return refusal({ type: 'forbidden', reason: published.reason }, ids)
    case 'conflict':
      return refusal({ type: 'conflict', message: published.message }, ids)
    case 'refused':
      return refusal({ type: 'definition-invalid', problems: published.problems }, ids)
  }
}

export function publishedOf(reports: readonly PublicationReport[]): JsonObject {
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
