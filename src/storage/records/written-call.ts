import type { CallRecord } from '../../core/call/record.ts'

/** A call's record on its way to the log and to the store of records, which is written out once for both, when the first needs it. */
export class WrittenCall {
  readonly record: CallRecord
  #text: string | undefined

  constructor(record: CallRecord) {
    this.record = record
  }

  /** The record as JSON, without a line break. */
  get text(): string {
    return (this.#text ??= JSON.stringify(this.record))
  }
}
