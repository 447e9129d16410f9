import { field } from '../rows.ts'
import type { LeftBehind } from '../registry/left-behind.ts'
import { queue } from './tables.ts'

/** Where an earlier version kept keys and providers. */
export interface EarlierKeeper {
  /** All of them, and the KV keys of them that wait to be written. */
  leftBehind(): Promise<LeftBehind>
  forgetLeftBehind(): Promise<void>
}

/**
 * Takes over, once, the keys and providers that an earlier version kept in the registry. They are stored in one
 * transaction, which also notes that it was done, and only then are they forgotten there: whenever it is interrupted, it can
 * be begun again, and a key that was deleted here since never comes back. Gives whether there is nothing left to do.
 */
export async function takeOver(storage: DurableObjectStorage, keeper: EarlierKeeper): Promise<boolean> {
  const { sql } = storage
  if (progress(sql) === undefined) {
    const left = await keeper.leftBehind()
    storage.transactionSync(() => {
      // Another request may have been first
      if (progress(sql) !== undefined) return
      for (const { id, hash, body } of left.keys)
        sql.exec('INSERT OR IGNORE INTO api_key VALUES (?, ?, ?)', id, hash, body)
      for (const { id, body } of left.providers) sql.exec('INSERT OR IGNORE INTO provider VALUES (?, ?)', id, body)
      for (const target of left.waiting) queue(sql, target)
      note(sql, 'stored')
    })
  }
  if (progress(sql) === 'done') return true
  try {
    await keeper.forgetLeftBehind()
    note(sql, 'done')
    return true
  } catch (error) {
    // What is stored here counts; the rest can wait until the registry answers
    console.warn(JSON.stringify({ event: 'take-over-unfinished', error: String(error) }))
    return false
  }
}

function progress(sql: SqlStorage): string | undefined {
  return field<string>(sql, "SELECT value FROM meta WHERE name = 'taken_over'")
}

function note(sql: SqlStorage, value: 'stored' | 'done'): void {
  sql.exec("INSERT OR REPLACE INTO meta VALUES ('taken_over', ?)", value)
}
