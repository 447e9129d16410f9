import type { JsonObject } from '../tool/json.ts'
import type { Problem } from '../tool/problem.ts'
import type { PublicationFailure, PublicationResult, PublicationSuccess } from './registry.ts'
import type { PreparedSubmission } from './submission.ts'

/** Adds the results of the preparation. */
export function completeResult(
  result: PublicationResult,
  { publication: { records }, warnings, state, breaking, changes, readAs }: PreparedSubmission,
): PublicationResult {
  if (!result.ok) return result
  // An unchanged version may already have an implementation
  const createdRecords = result.outcome === 'created' ? records : []
  const [first] = records
  const uncallable = createdRecords.filter(({ implementation }) => !implementation).map(({ id }) => id)
  return {
    ...result,
    warnings: [...warnings, ...result.warnings],
    ...(uncallable.length > 0 ? { uncallable } : {}),
    ...(readAs === undefined ? {} : { readAs }),
    ...(state && first
      ? { imported: { state, record: first, ...(breaking ? { breaking } : {}), ...(changes ? { changes } : {}) } }
      : {}),
  }
}

export const SUCCESS_STATUS = { created: 201, unchanged: 200 } as const

export function encodePublished({ ids, warnings, removedIds, pending, readAs }: PublicationSuccess) {
  return {
    ids,
    ...(readAs === undefined ? {} : { dialect: readAs }),
    ...(removedIds ? { left_out: removedIds } : {}),
    ...(pending ? { pending } : {}),
    ...(warnings.length > 0 ? { warnings } : {}),
  }
}

export function toProblems(failure: PublicationFailure): readonly Problem[] {
  if (failure.type === 'definition-invalid') return failure.problems
  return [{ path: '', message: failure.type === 'conflict' ? failure.message : failure.reason }]
}

export function summarizeResults(results: readonly PublicationResult[]): JsonObject {
  const storedResults = results.flatMap((result) => (result.ok ? [result] : []))
  const publishedIds = storedResults.flatMap(({ outcome, ids }) => (outcome === 'created' ? ids : []))
  const pending = storedResults.flatMap((result) => result.pending ?? [])
  const unchangedCount = storedResults.filter(({ outcome }) => outcome === 'unchanged').length
  const refusedCount = results.length - storedResults.length
  return {
    published: publishedIds,
    ...(pending.length > 0 ? { pending } : {}),
    ...(unchangedCount > 0 ? { unchanged: unchangedCount } : {}),
    ...(refusedCount > 0 ? { refused: refusedCount } : {}),
  }
}
