import type { Importer } from '../core/publish/import.ts'
import type { Budget } from '../core/tool/budget.ts'
import type { Decoded } from '../core/tool/codec.ts'
import { isJsonObject, type Json, type JsonObject } from '../core/tool/json.ts'
import { into, object, string } from '../core/tool/json-reader.ts'
import type { Checked } from '../core/tool/problem.ts'
import { isVersion } from '../core/tool/tool-id.ts'
import { readUpstream, type UpstreamImporterOptions } from './upstream.ts'
import { type UpstreamProtocol, upstreamItems } from './upstream-items.ts'

export interface McpImporterOptions extends UpstreamImporterOptions {
  readonly withoutHeaders: (schema: JsonObject) => JsonObject
}

const named = into(object({ name: string({ least: 1, most: 256 }) }, { unknown: 'ignore' }), ({ name }) => ({
  theirs: name,
  key: name,
  name,
}))
const OWN_META = 'dev.switchboard/'

export function createMcpImporter(options: McpImporterOptions): Importer {
  const decode: UpstreamProtocol['decode'] = (document, own, budget) => decodeTool(document, own, budget, options)
  return {
    kind: 'mcp',
    async read(request) {
      const upstream = await readUpstream(request, 'mcp', options.upstreams)
      if (!upstream.ok) return upstream
      const { version } = upstream.value
      const items = upstreamItems(request, upstream.value, { dialect: options.codec.dialect, named, decode })
      return { ok: true, items, ...(version !== undefined && isVersion(version) ? { version } : {}) }
    },
  }
}

function decodeTool(
  document: JsonObject,
  own: string,
  budget: Budget,
  { codec, withoutHeaders }: McpImporterOptions,
): Checked<Decoded> {
  const { inputSchema, outputSchema, icons, _meta, ...rest } = document
  // From 2026-07-28 on an output may be anything, which no document published here can say
  const output = isJsonObject(outputSchema) && outputSchema.type !== 'object' ? outputSchema : undefined
  const plain: JsonObject = {
    ...rest,
    ...(output || outputSchema === undefined ? {} : { outputSchema }),
    name: own,
    inputSchema: isJsonObject(inputSchema) ? withoutHeaders(inputSchema) : inputSchema,
    ...(_meta === undefined ? {} : { _meta: withoutOwn(_meta) }),
  }
  const decode = (source: JsonObject): Checked<Decoded> => {
    const decoded = codec.decode(source, { toolkit: 'any', version: '1.0.0' }, budget)
    if (!decoded.ok || !output) return decoded
    return {
      ok: true,
      value: { ...decoded.value, definitions: decoded.value.definitions.map((each) => ({ ...each, output })) },
    }
  }
  const whole = decode(icons === undefined ? plain : { ...plain, icons })
  if (whole.ok || !whole.problems.every(({ path }) => path.startsWith('/icons'))) return whole
  const decoded = decode(plain)
  if (!decoded.ok) return decoded
  const warning = { path: '', message: 'Its icons are left out: they must be https or data URLs' }
  return { ok: true, value: { ...decoded.value, warnings: [warning, ...decoded.value.warnings] } }
}

function withoutOwn(meta: Json): Json {
  if (!isJsonObject(meta)) return meta
  return Object.fromEntries(Object.entries(meta).filter(([key]) => !key.startsWith(OWN_META)))
}
