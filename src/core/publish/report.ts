import type { JsonObject } from '../tool/json.ts'
import type { Problem } from '../tool/problem.ts'
import type { ToolRecord } from '../tool/tool.ts'
import type { ImportState, PreparedSubmission } from './prepare.ts'
import type { PublicationResult, PublicationSuccess } from './registry.ts'

type PublicationFailure =
  | { readonly type: 'definition-invalid'; readonly problems: readonly Problem[] }
  | { readonly type: 'forbidden'; readonly reason: string }
  | { readonly type: 'conflict'; readonly message: string }

/** What a publisher is told of one submission. */
export type PublicationReport =
  | (Omit<PublicationSuccess, 'warnings'> & {
      readonly ok: true
      readonly warnings: readonly Problem[]
      readonly uncallable?: readonly string[]
      readonly readAs?: string
      readonly imported?: { readonly state: ImportState; readonly record: ToolRecord | undefined }
    })
  | { readonly ok: false; readonly ids: readonly string[]; readonly failure: PublicationFailure }

export function rejectPublication(failure: PublicationFailure, ids: readonly string[] = []): PublicationReport {
  return { ok: false, ids, failure }
}

export function toReport(
  result: PublicationResult,
  { warnings, state, readAs }: Pick<PreparedSubmission, 'warnings' | 'state' | 'readAs'>,
  records: readonly ToolRecord[] = [],
): PublicationReport {
  const { ids } = result
  switch (result.outcome) {
    case 'created':
    case 'unchanged': {
      const { warnings: storeWarnings = [], ...fields } = result
      // An unchanged version may have got its implementation before
      const created = result.outcome === 'created' ? records : []
      const uncallable = created.filter(({ implementation }) => !implementation).map(({ id }) => id)
      return {
        ok: true,
        ...fields,
        warnings: [...warnings, ...storeWarnings.map((message) => ({ path: '', message }))],
        ...(uncallable.length > 0 ? { uncallable } : {}),
        ...(readAs === undefined ? {} : { readAs }),
        ...(state === undefined ? {} : { imported: { state, record: records[0] } }),
      }
    }
    case 'forbidden':
      return rejectPublication({ type: 'forbidden', reason: result.reason }, ids)
    case 'conflict':
      return rejectPublication({ type: 'conflict', message: result.message }, ids)
    case 'refused':
      return rejectPublication({ type: 'definition-invalid', problems: result.problems }, ids)
  }
}

export function toProblems(failure: PublicationFailure): readonly Problem[] {
  if (failure.type === 'definition-invalid') return failure.problems
  return [{ path: '', message: failure.type === 'conflict' ? failure.message : failure.reason }]
}

export function summarizeReports(reports: readonly PublicationReport[]): JsonObject {
  const stored = reports.flatMap((report) => (report.ok ? [report] : []))
  const publishedIds = stored.flatMap(({ outcome, ids }) => (outcome === 'created' ? ids : []))
  const pending = stored.flatMap((report) => report.pending ?? [])
  const unchangedCount = stored.filter(({ outcome }) => outcome === 'unchanged').length
  const refusedCount = reports.length - stored.length
  return {
    published: publishedIds,
    ...(pending.length > 0 ? { pending } : {}),
    ...(unchangedCount > 0 ? { unchanged: unchangedCount } : {}),
    ...(refusedCount > 0 ? { refused: refusedCount } : {}),
  }
}
