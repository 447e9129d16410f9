import { createBudget } from '../../../src/core/tool/budget.ts'
import { createHash } from 'node:crypto'
import type { ExecutionContext } from 'hono'
import type { Hono } from 'hono'
import { maySee } from '../../../src/core/access/principal.ts'
import type { CallRequest, Caller, CallTool, CallOutcome } from '../../../src/core/call/call-request.ts'
import type { Catalog } from '../../../src/core/catalog/catalog.ts'
import type { ToolRecord } from '../../../src/core/tool/tool.ts'

/** Records its calls, and always returns the same result. */
export function callToolGiving(result: CallOutcome['result']): {
  callTool: CallTool
  calls: CallRequest[]
  callers: Caller[]
} {
  const calls: CallRequest[] = []
  const callers: Caller[] = []
  return {
    calls,
    callers,
    callTool(call, caller) {
      calls.push(call)
      callers.push(caller)
      return Promise.resolve({ callId: call.callId ?? 'generated', durationMs: 12, result })
    },
  }
}

/** Lists records, `page` at a time. */
export function catalogueOf(records: readonly ToolRecord[], page = 2): Catalog {
  return {
    etag: () => Promise.resolve(`etag ${records.length}`),
    async findUnknownName(names, principal) {
      const isSeen = (name: string) =>
        records.some(
          (each) => each.toolkit.toLowerCase() === name.toLowerCase() && maySee(principal, each, 'tools:read'),
        )
      const name = names.find((each) => !isSeen(each))
      return name === undefined ? undefined : { name, known: [], isNear: false }
    },
    suggestNames: async () => [],
    list(query, principal, format) {
      const write = 'write' in format ? format.write : ({ id }: ToolRecord) => id
      const seen = records
        .filter((record) => maySee(principal, record, 'tools:read'))
        .filter(({ toolkit }) => query.toolkit === undefined || toolkit.toLowerCase() === query.toolkit.toLowerCase())
      const from = Number(query.cursor ?? 0)
      const lines = seen.slice(from, from + page).map((record) => write(record, record.name, createBudget()))
      return Promise.resolve(from + page < seen.length ? { lines, nextCursor: String(from + page) } : { lines })
    },
  }
}

export const sha256 = (text: string) => Promise.resolve(createHash('sha256').update(text).digest('hex'))

const context = { waitUntil: () => undefined, passThroughOnException: () => undefined, props: {} } as ExecutionContext

/** Sends requests to a face; an object is sent as JSON. */
export function clientOf(router: Hono) {
  return async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const sent = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body)
    const init = {
      method,
      headers: { ...(sent === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    }
    const response = await router.request(path, sent === undefined ? init : { ...init, body: sent }, {}, context)
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: text === '' ? undefined : JSON.parse(text),
    }
  }
}
