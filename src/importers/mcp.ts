import type { Importer, ImportItem, ImportRequest } from '../core/publish/import.ts'
import type { Decoded } from '../core/tool/codec.ts'
import { isJsonObject, isObject, type Json, type JsonObject } from '../core/tool/json.ts'
import type { Checked } from '../core/tool/problem.ts'
import { isVersion } from '../core/tool/tool-id.ts'
import { toolNames } from './shared/tool-names.ts'
import { readUpstream, type Upstream, type UpstreamImporterOptions } from './upstream.ts'
import { upstreamItem } from './upstream-tool.ts'

export interface McpImporterOptions extends UpstreamImporterOptions {
  /** An input schema without what says which arguments go in headers: ours are published without that. */
  readonly withoutHeaders: (schema: JsonObject) => JsonObject
}

/** The longest name of another server's tool. */
const MAX_NAME = 256
/** Our own keys of `_meta`, which another Switchboard's tools carry too. */
const OWN_META = 'dev.switchboard/'

/**
 * Imports the tools of an MCP server of any revision, as they are when it is asked: each becomes a tool whose calls go
 * there. A tool that is not valid is skipped with the reason, and takes no other along.
 */
export function createMcpImporter(options: McpImporterOptions): Importer {
  return {
    kind: 'mcp',
    async read(request) {
      const upstream = await readUpstream(request, 'mcp', options.upstreams)
      if (!upstream.ok) return upstream
      const { version } = upstream.value
      const items = itemsOf(request, upstream.value, options)
      return { ok: true, items, ...(version !== undefined && isVersion(version) ? { version } : {}) }
    },
  }
}

function* itemsOf(request: ImportRequest, upstream: Upstream, options: McpImporterOptions): Generator<ImportItem> {
  const named = new Map<string, JsonObject>()
  for (const [index, tool] of upstream.tools.entries()) {
    const name: unknown = isObject(tool) ? tool['name'] : undefined
    if (!isJsonObject(tool) || typeof name !== 'string' || name === '' || name.length > MAX_NAME) {
      yield {
        skipped: { name: `tool ${index}`, reason: `Must be an object with a name of 1 to ${MAX_NAME} characters` },
      }
    } else if (named.has(name)) yield { skipped: { name, reason: 'The server lists it twice' } }
    else named.set(name, tool)
  }
  const theirs = [...named.keys()]
  const names = toolNames(theirs.map((name) => ({ operationId: name, method: '', path: name })))
  for (const [index, name] of theirs.entries()) {
    const own = names[index]
    const tool = named.get(name)
    if (own === undefined || !tool || !request.wants(own)) continue
    const listed = { theirs: name, own, document: tool, dialect: options.codec.dialect }
    yield upstreamItem(listed, request, upstream, () => decode(tool, own, options))
  }
}

/** A tool's document as the codec takes it, under our name; icons that are not valid are left out. */
function decode(document: JsonObject, own: string, { codec, withoutHeaders }: McpImporterOptions): Checked<Decoded> {
  const { inputSchema, icons, _meta, ...rest } = document
  const plain: JsonObject = {
    ...rest,
    name: own,
    inputSchema: isJsonObject(inputSchema) ? withoutHeaders(inputSchema) : inputSchema,
    ...(_meta === undefined ? {} : { _meta: withoutOwn(_meta) }),
  }
  const given = { toolkit: 'any', version: '1.0.0' }
  const whole = codec.decode(icons === undefined ? plain : { ...plain, icons }, given)
  if (whole.ok || !whole.problems.every(({ path }) => path.startsWith('/icons'))) return whole
  const decoded = codec.decode(plain, given)
  if (!decoded.ok) return decoded
  const warning = { path: '', message: 'Its icons are left out: they must be https or data URLs' }
  return { ok: true, value: { ...decoded.value, warnings: [warning, ...decoded.value.warnings] } }
}

function withoutOwn(meta: Json): Json {
  if (!isJsonObject(meta)) return meta
  return Object.fromEntries(Object.entries(meta).filter(([key]) => !key.startsWith(OWN_META)))
}
