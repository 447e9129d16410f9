import { DurableObject } from 'cloudflare:workers'
import { ADMIN } from '../../src/core/access/principal.ts'
import type { ToolRecord } from '../../src/core/tool/tool.ts'
import { readField } from '../../src/storage/rows.ts'
import { searchTools } from '../../src/storage/registry/search/query.ts'
import { renewIndex } from '../../src/storage/registry/search/search-index.ts'
import { createTables } from '../../src/storage/registry/tables.ts'
import { storeVersion } from '../../src/storage/registry/write/store-version.ts'

/** Runs queries on the registry's tables many times per request, because clocks stand still inside a request. */
export class Index extends DurableObject<object> {
  readonly #sql = this.ctx.storage.sql

  constructor(state: DurableObjectState, env: object) {
    super(state, env)
    createTables(this.#sql)
    renewIndex(this.#sql)
  }

  fill(records: readonly ToolRecord[]): number {
    this.ctx.storage.transactionSync(() => {
      for (const record of records) storeVersion(this.#sql, record, 'bundle')
    })
    return readField<number>(this.#sql, 'SELECT count(*) FROM indexed') ?? 0
  }

  /** Runs a search `times` times, and returns how many tools it finds. */
  search(q: string, times: number): number {
    let total = 0
    for (let n = 0; n < times; n += 1) {
      total = searchTools(this.#sql, { q, versions: 'newest', limit: 10 }, ADMIN)?.total ?? 0
    }
    return total
  }

  /** Looks up a tool's record by its key `times` times. */
  lookUp(key: string, times: number): number {
    let length = 0
    for (let n = 0; n < times; n += 1) {
      const row = 'SELECT record FROM tool JOIN version USING (key) WHERE tool.key = ? AND version = listed'
      length = readField<string>(this.#sql, row, key)?.length ?? 0
    }
    return length
  }
}

export default {
  async fetch(request: Request, env: { readonly Index: DurableObjectNamespace<Index> }): Promise<Response> {
    if (request.method === 'GET') return Response.json({ status: 'ok' })
    const index = env.Index.getByName('index')
    const { records, q, key, times } = await request.json<{
      readonly records?: readonly ToolRecord[]
      readonly q?: string
      readonly key?: string
      readonly times: number
    }>()
    if (records) return Response.json(await index.fill(records))
    return Response.json(await (q === undefined ? index.lookUp(key ?? '', times) : index.search(q, times)))
  },
}
