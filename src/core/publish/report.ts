import type { JsonObject } from '../tool/json.ts'
import { type Guard, guardOf } from '../access/guard.ts'
import type { Problem } from '../tool/problem.ts'
import type { ImportState, Prepared } from './prepare.ts'
import type { Published } from './registry.ts'

/** Why nothing was published, in the words that calls fail in. */
export type PublicationFailure =
  | { readonly type: 'definition-invalid'; readonly problems: readonly Problem[] }
  | { readonly type: 'forbidden'; readonly reason: string }
  | { readonly type: 'conflict'; readonly message: string }

/** The fate of a submission, or in a dry run the one it would have. */
export type Report =
  | {
      readonly ok: true
      readonly outcome: 'created' | 'unchanged'
      readonly ids: readonly string[]
      readonly warnings: readonly Problem[]
      /** The tools of earlier versions of the document that this one has not. */
      readonly leftOut?: readonly string[]
      /** Those that are not there for callers before they were reviewed. */
      readonly pending?: readonly string[]
      /** Those of the new ones that have no implementation: they are listed and read, and cannot be called. */
      readonly uncallable?: readonly string[]
      /** Of an import's tool. */
      readonly state?: ImportState
      /** What the import's tool asks for beyond what follows from its requirements, where it does. */
      readonly guard?: Guard
    }
  /** Without ids where it could not be told which tools these are. */
  | { readonly ok: false; readonly ids: readonly string[]; readonly failure: PublicationFailure }

const TAKEN = 'A document of this id is published already, and ids of documents are unique: give it an id of its own'

export function refusal(failure: PublicationFailure, ids: readonly string[] = []): Report {
  return { ok: false, ids, failure }
}

/** Reports what the registry made of a publication. */
export function reportOf(
  published: Published,
  {
    warnings,
    state,
    isPlaced,
    records = [],
  }: Pick<Prepared, 'warnings' | 'state' | 'isPlaced'> & Partial<Pick<Prepared, 'records'>>,
): Report {
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
      // Where the tools of another's document are is nobody else's to know
      return isPlaced
        ? refusal({ type: 'conflict', message: TAKEN })
        : refusal({ type: 'forbidden', reason: published.reason }, ids)
    case 'conflict':
      return refusal({ type: 'conflict', message: published.message }, ids)
    case 'refused':
      return refusal({ type: 'definition-invalid', problems: published.problems }, ids)
  }
}

/** A publication as its act is written down: which versions are new, which of these await review, and how many documents were none or were refused. */
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
