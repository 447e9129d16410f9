import { type Context, Hono } from 'hono'
import type { Principal } from '../../../core/access/principal.ts'
import { type Failing, fail } from '../../../core/failure/failure.ts'
import { authoriseToolkit } from '../../../core/publish/authorise.ts'
import { type PluginReader, pluginSubmission } from '../../../core/publish/plugin.ts'
import type { Publish } from '../../../core/publish/publish.ts'
import type { RegistryWriter } from '../../../core/publish/registry.ts'
import type { Codec } from '../../../core/tool/codec.ts'
import { isJsonObject } from '../../../core/tool/json.ts'
import { isNamePart } from '../../../core/tool/tool-id.ts'
import { readBytes } from '../../../http/request/body.ts'
import { jsonText } from '../../../http/answer/json-response.ts'
import { parseJson } from '../../../http/request/json-text.ts'
import { publishedOf } from '../../../core/publish/published.ts'
import type { ReadOf } from '../../../http/request/query.ts'
import { createRoute, type Note, type RouteDeps } from '../../../http/route/route.ts'
import { encodeUploaded, optionsOf, uploadQuery } from './wire.ts'

export interface UploadFaceDeps extends RouteDeps {
  readonly plugins: Pick<PluginReader, 'read'>
  /** The dialect in which plugins describe themselves. */
  readonly codec: Codec
  readonly publish: Publish
  readonly writer: Pick<RegistryWriter, 'denial'>
}

/** The largest plugin, in bytes. */
const PLUGIN_LIMIT = 5 * 1024 * 1024

/**
 * `PUT /toolkits/{toolkit}/plugin`: takes in a wasm plugin, whose `describe` becomes tools of the toolkit. `201 {"ids"}`;
 * `200` when that version was published so before; `422` with what is wrong with the plugin or with what it describes.
 */
export function uploadFace(deps: UploadFaceDeps): Hono {
  const { plugins, codec, publish, writer } = deps
  const route = createRoute(deps)
  return new Hono().put(
    '/toolkits/:toolkit/plugin',
    route({ scope: 'tools:publish', act: 'tools.publish', query: uploadQuery }, upload),
  )

  async function upload(
    c: Context,
    principal: Principal,
    note: Note,
    query: ReadOf<typeof uploadQuery>,
  ): Promise<Response | Failing> {
    const request = c.req.raw
    const toolkit = c.req.param('toolkit') ?? ''
    if (!isNamePart(toolkit)) {
      const message = "The toolkit's name must be 1 to 64 of A-Z, a-z, 0-9, _ and -"
      return fail({ type: 'request-malformed', message })
    }
    const reason = await authoriseToolkit(principal, toolkit, writer)
    if (reason !== undefined) return fail({ type: 'forbidden', reason })
    const options = optionsOf(toolkit, query)
    const body = await readBytes(request, 'application/wasm', PLUGIN_LIMIT)
    if (!body.ok) return body

    const read = await plugins.read(new Uint8Array(body.value), options, request.signal)
    if (!read.ok) return read
    const described = await parseJson(read.described)
    if (!described.ok || !isJsonObject(described.value)) {
      const why = !described.ok && 'message' in described.failure ? `: ${described.failure.message}` : ''
      const problem = { path: '', message: `Its 'describe' did not give a JSON object${why}` }
      return fail({ type: 'definition-invalid', problems: [problem] })
    }
    const submission = pluginSubmission(described.value, read.implementationOf, options, codec)
    if (!submission.ok) return fail({ type: 'definition-invalid', problems: submission.problems })
    const { allowBreaking } = options
    const [report] = await publish([submission.value], { principal, allowBreaking })
    if (!report) throw new Error('A publication came to nothing')
    note(publishedOf([report]))
    if (!report.ok) return report
    return jsonText(JSON.stringify(encodeUploaded(report)), report.outcome === 'created' ? 201 : 200)
  }
}
