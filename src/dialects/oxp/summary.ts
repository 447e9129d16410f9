import { withBudget } from '../../core/publish/export.ts'
import { toSummary } from '../../core/publish/summary.ts'

/** A format of lists alone, which calls do not load. */
export const summarize = withBudget('summary', (record, name) => ({ document: toSummary(record, name), losses: [] }))
