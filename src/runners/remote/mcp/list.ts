import { isObject } from '../../../core/tool/json.ts'
import type { ToolFailure } from '../../../core/tool/tool-failure.ts'
import type { Signal } from '../../../core/tool/platform.ts'
import type { Endpoint } from '../endpoint.ts'
import { explain, type McpDeps } from './call.ts'
import { withSession } from './session.ts'

/** A server's tools as it lists them, unjudged. */
export type Listed =
  | { readonly ok: true; readonly tools: readonly unknown[]; readonly version: string | undefined }
  | { readonly ok: false; readonly failure: ToolFailure }

/** Bounds of a listing: what is beyond is no toolkit. */
export const MAX_TOOLS = 5_000
export const MAX_PAGES = 100
export const MAX_LIST_BYTES = 24 * 1024 * 1024

/** Lists all tools of an MCP server (MCP, "Listing Tools", "Pagination"). */
export async function listMcpTools(
  endpoint: Endpoint,
  { signal, timeoutMs }: { readonly signal: Signal; readonly timeoutMs: number },
  deps: McpDeps,
): Promise<Listed> {
  // The SDK refuses a page for one tool that is not valid: tools are taken out of its sight, to be judged one by one
  let page: unknown[] = []
  const session = await withSession(
    {
      endpoint,
      signal,
      timeoutMs,
      maxBytes: MAX_LIST_BYTES,
      canAsk: false,
      onMessage(message) {
        if (!isObject(message) || !isObject(message['result'])) return
        const { result } = message
        if (!Array.isArray(result['tools'])) return
        page = result['tools']
        Object.assign(result, { tools: [] })
      },
    },
    deps,
    async (client, waiting) => {
      const tools: unknown[] = []
      const cursors = new Set<string>()
      for (let cursor: string | undefined, pages = 1; ; pages++) {
        page = []
        const params = cursor === undefined ? {} : { params: { cursor } }
        const { nextCursor } = await client.request({ method: 'tools/list', ...params }, waiting)
        tools.push(...page)
        if (tools.length > MAX_TOOLS) return `lists more than ${MAX_TOOLS} tools`
        if (nextCursor === undefined) return { tools, version: client.getServerVersion()?.version }
        if (cursors.has(nextCursor)) return 'lists its tools in a circle: it gave a cursor twice'
        if (pages === MAX_PAGES) return `lists its tools on more than ${MAX_PAGES} pages`
        cursors.add(nextCursor)
        cursor = nextCursor
      }
    },
  )
  if (!session.ok) {
    const { result } = explain(session.error, session.troubles, endpoint, deps.now())
    const said = 'failure' in result ? result.failure : undefined
    return { ok: false, failure: said ?? { message: `${endpoint.host} could not be asked` } }
  }
  const { value } = session
  if (typeof value === 'string') return { ok: false, failure: { message: `${endpoint.host} ${value}` } }
  return { ok: true, ...value }
}
