import type { ToolFailure } from '../../../core/tool/tool-failure.ts'
import { isObject } from '../../../core/tool/json.ts'
import type { Signal } from '../../../core/tool/platform.ts'
import type { GuardedFetch } from '../../../outbound/guarded-fetch.ts'
import { excerpt, refused, unanswered } from '../attempt.ts'
import type { Endpoint } from '../endpoint.ts'
import type { Listed } from '../mcp/list.ts'
import { MAX_LIST_BYTES, MAX_PAGES, MAX_TOOLS } from '../mcp/list.ts'
import { askServer, jsonOf } from './server.ts'

/** Lists all tools of an OXP server (OXP 1.0, "List tools"), page by page where it has pages. */
export async function listOxpTools(
  endpoint: Endpoint,
  { signal, toolkit }: { readonly signal: Signal; readonly toolkit: string | undefined },
  { guardedFetch, now }: { readonly guardedFetch: GuardedFetch; readonly now: () => number },
): Promise<Listed> {
  const tools: unknown[] = []
  const cursors = new Set<string>()
  let bytes = 0
  for (let cursor: string | undefined, pages = 1; ; pages++) {
    const query = { ...(toolkit === undefined ? {} : { toolkit }), ...(cursor === undefined ? {} : { cursor }) }
    const answer = await askServer('/tools', endpoint, { query, signal }, guardedFetch)
    if (!answer.ok) return failedWith(unanswered(answer, endpoint))
    const { status, headers, body } = answer.response
    const said = new TextDecoder().decode(body)
    if (status !== 200) return failedWith(refused({ status, headers, text: said }, endpoint, now()))
    const document = jsonOf(body)
    if (!isObject(document) || !Array.isArray(document['items'])) {
      const message = `${endpoint.host} answered what is not OXP`
      return { ok: false, failure: { message, developer_message: excerpt(said, endpoint) } }
    }
    tools.push(...document['items'])
    bytes += body.byteLength
    const { next_cursor: next } = document
    if (tools.length > MAX_TOOLS) return tooMuch(`lists more than ${MAX_TOOLS} tools`)
    if (bytes > MAX_LIST_BYTES) return tooMuch(`lists more than ${MAX_LIST_BYTES} bytes`)
    if (typeof next !== 'string' || next === '') return { ok: true, tools, version: undefined }
    if (cursors.has(next)) return tooMuch('lists its tools in a circle: it gave a cursor twice')
    if (pages === MAX_PAGES) return tooMuch(`lists its tools on more than ${MAX_PAGES} pages`)
    cursors.add(next)
    cursor = next
  }

  function tooMuch(what: string): Listed {
    return { ok: false, failure: { message: `${endpoint.host} ${what}` } }
  }

  function failedWith({ result }: ReturnType<typeof unanswered>): Listed {
    const failure: ToolFailure | undefined = 'failure' in result ? result.failure : undefined
    return { ok: false, failure: failure ?? { message: `${endpoint.host} could not be asked` } }
  }
}
