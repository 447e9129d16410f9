import type { Client } from '@modelcontextprotocol/client'
import { isJsonArray, isJsonObject, type Json } from '../../../core/tool/json.ts'
import type { Reading, ResourceList } from '../../../core/call/runner.ts'
import { computePageDigest, getToolUi, MAX_PAGE_CHARACTERS, readPage } from '../../../core/page/page.ts'
import type { Sha256 } from '../../../core/tool/digest.ts'
import { decodeBase64 } from '../../../outbound/base64.ts'
import type { UpstreamResult } from '../../shared/retrying-call.ts'
import type { RemoteCall, RemoteDeps } from '../endpoint.ts'
import { type SessionWait, withSession } from './session.ts'

/** A page arrives as JSON, whose escapes may double its size. */
const MAX_BYTES = 2 * MAX_PAGE_CHARACTERS + 16 * 1024
const MAX_LIST_BYTES = 512 * 1024
const MAX_LISTED = 200
const MAX_LIST_PAGES = 100
/** For all pages after the first, and for templates. */
const PAGES_MS = 2_000

export async function callResource(
  reading: Reading,
  timeoutMs: number,
  { endpoint, context: { deadline, background, deferRelease } }: RemoteCall,
  deps: RemoteDeps,
): Promise<UpstreamResult> {
  const { signal } = deadline
  const maxBytes = 'list' in reading ? MAX_LIST_BYTES : MAX_BYTES
  const session = { endpoint, signal, timeoutMs, maxBytes, canAsk: false, background, deferRelease }
  const read = await withSession<object>(session, deps, (client, waiting) =>
    'list' in reading ? readList(reading.list, client, waiting, deps) : readResource(reading.uri, client, waiting),
  )
  return read.ok ? { result: { ok: true, value: read.value } } : read.failed
}

const METHODS = { resources: 'resources/list', resourceTemplates: 'resources/templates/list' } as const

/** Returns the items listed before a page that fails, comes late, or exceeds the limit. */
async function readList(list: ResourceList, client: Client, waiting: SessionWait, { now }: RemoteDeps) {
  const listedResources: Json[] = []
  const endsAt = now() + PAGES_MS
  let params: { cursor?: string } = {}
  for (let pages = 0; pages < MAX_LIST_PAGES; pages++) {
    // A server without templates may not know the method
    const isOptional = pages > 0 || list === 'resourceTemplates'
    const options = isOptional ? { ...waiting, timeout: Math.max(1, endsAt - now()) } : waiting
    const page = await client.request({ method: METHODS[list], params }, options).catch((error: unknown) => {
      if (!isOptional) throw error
    })
    const { [list]: items, nextCursor: cursor } = page ?? {}
    if (isJsonArray(items)) listedResources.push(...items)
    if (listedResources.length >= MAX_LISTED || typeof cursor !== 'string') break
    params = { cursor }
  }
  return { [list]: listedResources.slice(0, MAX_LISTED) }
}

/** Decodes the blob of a page to text. */
async function readResource(uri: string, client: Client, waiting: SessionWait) {
  const { contents } = await client.readResource({ uri }, waiting)
  const texts = contents.map((content) => {
    if (!('blob' in content) || !uri.startsWith('ui:')) return content
    const { blob, ...fields } = content
    return { ...fields, text: new TextDecoder().decode(decodeBase64(blob)) }
  })
  return { contents: texts }
}

/** The pages of one server that an import reads. */
const MAX_PAGES = 50

/** Adds the digest of its page to each tool. A page that cannot be read has none. */
export async function addPageDigests(
  tools: readonly unknown[],
  client: Client,
  waiting: SessionWait,
  sha256: Sha256,
): Promise<readonly unknown[]> {
  const digests = new Map<string, string | undefined>()
  const result: unknown[] = []
  for (const tool of tools) {
    const _meta = isJsonObject(tool) && isJsonObject(tool._meta) ? tool._meta : {}
    const { uri, visibility } = getToolUi({ _meta })
    if (uri !== undefined && !digests.has(uri) && digests.size < MAX_PAGES) {
      const page = readPage(await readResource(uri, client, waiting).catch(() => undefined))
      digests.set(uri, page && (await computePageDigest(page, sha256)))
    }
    const digest = uri === undefined ? undefined : digests.get(uri)
    const ui = {
      ...(uri === undefined ? {} : { resourceUri: uri }),
      ...(visibility ? { visibility } : {}),
      ...(digest === undefined ? {} : { digest }),
    }
    result.push(Object.keys(ui).length > 0 ? { ...Object(tool), _meta: { ..._meta, ui } } : tool)
  }
  return result
}
