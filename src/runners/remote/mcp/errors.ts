import { isObject } from '../../../core/tool/json.ts'

/** The code of the error that stands for the answer where a stream ends without one; no server may use it. */
export const STREAM_ENDED = -32099

/** JSON-RPC, MCP 2026-07-28 ("error codes"): the server did not look at what the request asks for. */
const NOT_RUN: ReadonlySet<unknown> = new Set([-32700, -32600, -32601, -32022])
/** The statuses of servers that do not speak the era they were spoken to in. */
const NOT_RUN_STATUSES = new Set([400, 404, 405, 406, 415])

/** The code of an error that a server answered with (JSON-RPC 2.0, "Error object"). */
export function codeOf(error: unknown): number | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'number' ? error.code : undefined
}

/** What a server sent along with its error. */
export function dataOf(error: unknown): unknown {
  return error instanceof Error && 'data' in error ? error.data : undefined
}

/** The status that a server answered with in place of a message. */
export function statusOf(error: unknown): number | undefined {
  const data = dataOf(error)
  return codeOf(error) === undefined && isObject(data) && typeof data['status'] === 'number'
    ? data['status']
    : undefined
}

/** Whether an error says that the server refused the request before it did anything. */
export function wasNotRun(error: unknown): boolean {
  const status = statusOf(error)
  if (status !== undefined) return NOT_RUN_STATUSES.has(status)
  return (
    NOT_RUN.has(codeOf(error)) || (error instanceof Error && 'code' in error && error.code === 'ERA_NEGOTIATION_FAILED')
  )
}
