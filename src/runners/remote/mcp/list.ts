import { isObject } from '../../../core/tool/json.ts'
import { MAX_SOURCE_NODES } from '../../../core/tool/json-text.ts'
import type { ListRequest } from '../../../core/tool/remote-dialect.ts'
import type { Endpoint, RemoteDeps } from '../endpoint.ts'
import { type Listed, listingProblem, MAX_LIST_BYTES, readPages } from '../list-pages.ts'
import { announcesTasks } from './known-revisions.ts'
import { addPageDigests } from './resource.ts'
import { withSession } from './session.ts'
import { readSkills } from './skills.ts'

/** For all pages and skills of a server. An import does not fail because of them. */
const RESOURCES_MS = 20_000

export async function listMcpTools(
  endpoint: Endpoint,
  { signal, timeoutMs, wantsSkills }: ListRequest,
  deps: RemoteDeps,
): Promise<Listed> {
  // The SDK refuses a whole page for one invalid tool, so tools are hidden from it and checked one by one later
  let page: readonly unknown[] = []
  // A session that starts from a known revision does not learn whether the server has skills
  if (wantsSkills) deps.revisions.delete(endpoint.url.href)
  const session = await withSession(
    {
      endpoint,
      signal,
      timeoutMs,
      maxBytes: MAX_LIST_BYTES,
      canAsk: false,
      parts: MAX_SOURCE_NODES,
      onResult(result) {
        if (!Array.isArray(result['tools'])) return
        page = result['tools']
        Object.assign(result, { tools: [] })
      },
    },
    deps,
    async (client, waiting) => {
      const listResult = await readPages(endpoint.host, async (cursor) => {
        page = []
        const params = cursor === undefined ? {} : { params: { cursor } }
        const { nextCursor } = await client.request({ method: 'tools/list', ...params }, waiting)
        return { tools: page, next: nextCursor }
      })
      if (!listResult.ok) return listResult
      const short = { ...waiting, signal: AbortSignal.any([signal, AbortSignal.timeout(RESOURCES_MS)]) }
      const tools = await addPageDigests(listResult.tools, client, short, deps.sha256)
      const skills = wantsSkills ? await readSkills(client, short) : []
      const { version, title } = client.getServerVersion() ?? {}
      return {
        ...listResult,
        tools: tools.map((tool) => (announcesTasks(client) ? addTaskSupport(tool) : tool)),
        skills,
        version: version || undefined,
        description: client.getInstructions() || title,
      }
    },
  )
  return session.ok ? session.value : { ok: false, problem: listingProblem(session.failed) }
}

/** A server that supports tasks does not say which tools take long, so any of them may. */
function addTaskSupport(tool: unknown): unknown {
  if (!isObject(tool)) return tool
  return { ...tool, execution: { taskSupport: 'optional', ...(isObject(tool['execution']) ? tool['execution'] : {}) } }
}
