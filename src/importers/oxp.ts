import type { Importer, ImportItem, ImportRequest } from '../core/publish/import.ts'
import type { Codec } from '../core/tool/codec.ts'
import { isJsonObject, isObject, type JsonObject } from '../core/tool/json.ts'
import { formatToolId, parseToolId } from '../core/tool/tool-id.ts'
import { toolNames } from './shared/tool-names.ts'
import { readUpstream, type Upstream, type UpstreamImporterOptions } from './upstream.ts'
import { upstreamItem } from './upstream-tool.ts'

/** What an OXP definition says that is kept; whatever else a server adds means nothing here. */
const KEPT = ['name', 'description', 'input_schema', 'output_schema']

/**
 * Imports the tools of an OXP server, with `input_schema` as the specification has it or flat. A tool keeps calling the
 * very version it was imported from. The server looks after its own requirements: a tool here requires what its
 * credentials take, and a user's id where the server wants one and the import says that it may have it.
 */
export function createOxpImporter({ codec, upstreams }: UpstreamImporterOptions): Importer {
  return {
    kind: 'oxp',
    async read(request) {
      const upstream = await readUpstream(request, 'oxp', upstreams)
      return upstream.ok ? { ok: true, items: itemsOf(request, upstream.value, codec) } : upstream
    },
  }
}

interface Theirs {
  readonly id: string
  readonly document: JsonObject
  /** The name it would have here. */
  readonly name: string
}

function* itemsOf(request: ImportRequest, upstream: Upstream, codec: Codec): Generator<ImportItem> {
  const { tools, theirToolkit } = upstream
  const found = new Map<string, Theirs>()
  for (const [index, tool] of tools.entries()) {
    const id: unknown = isObject(tool) ? tool['id'] : undefined
    const asked = typeof id === 'string' ? parseToolId(id) : undefined
    if (!isJsonObject(tool) || typeof id !== 'string' || !asked) {
      yield { skipped: { name: `tool ${index}`, reason: "Must be an object with the id 'Toolkit.Tool@x.y.z'" } }
      continue
    }
    // Servers that do not know the query parameter list the others too
    if (theirToolkit !== undefined && asked.toolkit.toLowerCase() !== theirToolkit.toLowerCase()) continue
    const key = formatToolId(asked)
    const name = theirToolkit === undefined ? `${asked.toolkit}_${asked.tool}` : asked.tool
    if (found.has(key)) yield { skipped: { name: id, reason: `The server lists '${key}' twice` } }
    else found.set(key, { id, document: tool, name })
  }
  const theirs = [...found.values()]
  const names = toolNames(
    theirs.map(({ name, id }) => ({ operationId: name, method: '', path: id.split('@')[0] ?? id })),
  )
  for (const [index, each] of theirs.entries()) {
    const own = names[index]
    if (own === undefined || !request.wants(own)) continue
    const { id, document } = each
    yield upstreamItem({ theirs: id, own, document, dialect: 'oxp-upstream' }, request, upstream, () => {
      const kept = Object.fromEntries(KEPT.filter((key) => key in document).map((key) => [key, document[key]]))
      // The codec's own ids have no dashes, which ours may have; what the tool is called is settled here
      return codec.decode({ ...kept, id: 'Any.Tool@1.0.0', version: '1.0.0' }, {})
    })
  }
}
