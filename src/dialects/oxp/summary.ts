import { bounded } from '../../core/publish/export.ts'
import { summaryOf } from '../../core/publish/summary.ts'

/** A format of lists alone, which calls do not load. */
export const summarise = bounded('summary', (record, name) => ({ document: summaryOf(record, name), losses: [] }))
