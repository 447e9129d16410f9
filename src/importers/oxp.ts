import type { Importer } from '../core/publish/import.ts'
import type { Budget } from '../core/tool/budget.ts'
import type { JsonObject } from '../core/tool/json.ts'
import { into, object, string, unfit } from '../core/tool/json-reader.ts'
import { formatToolId, parseToolId } from '../core/tool/tool-id.ts'
import { readUpstream, type UpstreamImporterOptions } from './upstream.ts'
import { upstreamItems } from './upstream-items.ts'

const ID = into(string(), (id, report) => {
  const parsed = parseToolId(id)
  return parsed ? { ...parsed, theirs: id, key: formatToolId(parsed) } : unfit(report, "an id 'Toolkit.Tool@x.y.z'", id)
})
const LISTED = object({ id: ID }, { unknown: 'ignore' })
const KEPT = ['name', 'description', 'input_schema', 'output_schema']

/** A tool keeps calling the version it was imported from. A user's id is sent where server and import say so. */
export function createOxpImporter({ codec, upstreams }: UpstreamImporterOptions): Importer {
  return {
    kind: 'oxp',
    async read(request) {
      const upstream = await readUpstream(request, 'oxp', upstreams)
      if (!upstream.ok) return upstream
      const only = upstream.value.theirToolkit
      const named = into(LISTED, ({ id: { toolkit, tool, theirs, key } }) => {
        // Servers that do not know the query parameter list the others too
        if (only !== undefined && toolkit.toLowerCase() !== only.toLowerCase()) return undefined
        return { theirs, key, name: only === undefined ? `${toolkit}_${tool}` : tool }
      })
      return { ok: true, items: upstreamItems(request, upstream.value, { dialect: 'oxp-upstream', named, decode }) }
    },
  }

  function decode(document: JsonObject, _: string, budget: Budget) {
    const kept = Object.fromEntries(KEPT.filter((key) => key in document).map((key) => [key, document[key]]))
    // The codec's ids have no dashes, which ours may have; the name is set afterwards
    return codec.decode({ ...kept, id: 'Any.Tool@1.0.0', version: '1.0.0' }, {}, budget)
  }
}
