import { isObject } from '../../../core/tool/json.ts'
import type { Signal } from '../../../core/tool/platform.ts'
import type { Endpoint, RemoteDeps } from '../endpoint.ts'
import { refused } from '../failed-call.ts'
import { type Listed, MAX_LIST_BYTES, readPages } from '../listing.ts'
import { askServer } from './server.ts'

/** OXP 1.0, "List tools". */
export function listOxpTools(
  endpoint: Endpoint,
  { signal, toolkit }: { readonly signal: Signal; readonly toolkit: string | undefined },
  { guardedFetch, now }: RemoteDeps,
): Promise<Listed> {
  const { host } = endpoint
  let bytes = 0
  return readPages(host, async (cursor) => {
    const query = { ...(toolkit === undefined ? {} : { toolkit }), ...(cursor === undefined ? {} : { cursor }) }
    const answer = await askServer('/tools', endpoint, { query, signal }, guardedFetch)
    if (!answer.ok) return { problem: answer.failed.result.failure.message }
    const { status, document, size } = answer
    if (status !== 200) return { problem: refused(answer, endpoint, now()).result.failure.message }
    if (!isObject(document) || !Array.isArray(document['items'])) return { problem: `${host} answered what is not OXP` }
    bytes += size
    if (bytes > MAX_LIST_BYTES) return { problem: `${host} lists more than ${MAX_LIST_BYTES} bytes` }
    const { items, next_cursor: next } = document
    return { tools: items, next: typeof next === 'string' && next !== '' ? next : undefined }
  })
}
