import type { Json } from '../../src/core/tool/json.ts'
import { prepareDocument } from '../../src/core/publish/prepare.ts'
import type { ToolRecord } from '../../src/core/tool/tool.ts'
import { oxp } from '../../src/dialects/oxp/definition.ts'
import { sha256 } from '../../src/storage/sealing/sha256.ts'
import { renewIndex } from '../../src/storage/registry/search/search-index.ts'
import { createTables } from '../../src/storage/registry/tables.ts'
import { storeVersion } from '../../src/storage/registry/write/store-version.ts'
import { createDatabase, sqlOf } from '../simulation/sql.ts'

/** Every toolkit is there already, so that none is renamed. */
const source = {
  findDocumentAddress: async () => undefined,
  loadCurrent: async () => undefined,
  loadRecord: async () => undefined,
  hasToolkit: async () => true,
}

/** The records of definitions in OXP, as they would be published. */
export async function recordsOf(definitions: readonly Json[]): Promise<readonly ToolRecord[]> {
  const prepared = await Promise.all(
    definitions.map((body) =>
      prepareDocument({ kind: 'document', body }, { codecs: [oxp], runners: new Map(), sha256, source }),
    ),
  )
  return prepared.flatMap((each) => {
    if (!each.ok) throw new Error(JSON.stringify(each.problems))
    return each.value.publication.records
  })
}

/** The same, each with the title of its definition, which OXP has not. */
export async function titledRecords(
  definitions: readonly { readonly [field: string]: Json; readonly title: string }[],
) {
  const untitled = definitions.map((each) =>
    Object.fromEntries(Object.entries(each).filter(([name]) => name !== 'title')),
  )
  const records = await recordsOf(untitled)
  return records.map((record, at) => ({ ...record, title: definitions[at]?.title ?? '' }))
}

/** The registry's tables, in memory, with these tools listed. */
export function tablesOf(records: readonly ToolRecord[]): SqlStorage {
  const sql = sqlOf(createDatabase(), () => undefined)
  createTables(sql)
  renewIndex(sql)
  for (const record of records) storeVersion(sql, record, 'bundle')
  return sql
}
