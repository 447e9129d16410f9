import { Hono } from 'hono'
import type { Failure } from '../../../core/call/failure.ts'
import { authoriseToolkit } from '../../../core/publish/authorise.ts'
import { type PluginReader, pluginSubmission } from '../../../core/publish/plugin.ts'
import type { Publish } from '../../../core/publish/publish.ts'
import type { Codec } from '../../../core/tool/codec.ts'
import { isObject, type JsonObject } from '../../../core/tool/json.ts'
import { isNamePart } from '../../../core/tool/tool-id.ts'
import { readBytes } from '../../../http/body.ts'
import type { Gate } from '../../../http/gate.ts'
import { parseJson } from '../../../http/json-text.ts'
import { jsonText } from '../../../http/json-response.ts'
import { decodeQuery, encodeUploaded } from './wire.ts'

export interface UploadFaceDeps {
  readonly gate: Gate
  readonly plugins: PluginReader
  /** The dialect in which plugins describe themselves. */
  readonly codec: Codec
  readonly publish: Publish
  /** Words a failure; the face has no table of its own. */
  readonly respond: (failure: Failure) => Response
}

/** The largest plugin, in bytes. */
const PLUGIN_LIMIT = 5 * 1024 * 1024

/**
 * `PUT /toolkits/{toolkit}/plugin`: takes in a wasm plugin, whose `describe` becomes tools of the toolkit. `201 {"ids"}`;
 * `200` when that version was published so before; `422` with what is wrong with the plugin or with what it describes.
 */
export function uploadFace(deps: UploadFaceDeps): Hono {
  const { gate, plugins, codec, publish, respond } = deps
  const face = new Hono()

  face.put('/toolkits/:toolkit/plugin', async (c) => {
    const request = c.req.raw
    const caller = await gate(request, 'tools:publish', (work) => c.executionCtx.waitUntil(work))
    if (!caller.ok) return respond(caller.failure)
    const toolkit = c.req.param('toolkit')
    if (!isNamePart(toolkit)) {
      return respond({
        type: 'request-malformed',
        message: "The toolkit's name must be 1 to 64 of A-Z, a-z, 0-9, _ and -",
      })
    }
    const reason = authoriseToolkit(caller.value, toolkit)
    if (reason !== undefined) return respond({ type: 'forbidden', reason })
    const options = decodeQuery(toolkit, new URL(request.url).searchParams)
    if (typeof options === 'string') return respond({ type: 'request-malformed', message: options })
    const type = request.headers.get('content-type')
    if (type?.split(';')[0]?.trim().toLowerCase() !== 'application/wasm') {
      return respond({ type: 'media-type-unsupported', got: type, wanted: 'application/wasm' })
    }
    const body = await readBytes(request, PLUGIN_LIMIT)
    if (!body.ok) return respond(body.failure)

    const read = await plugins.read(new Uint8Array(body.value), options, request.signal)
    if (!read.ok) return respond(read.failure)
    const described = parseJson(read.described)
    if (!described.ok || !isJsonObject(described.value)) {
      const why = !described.ok && 'message' in described.failure ? `: ${described.failure.message}` : ''
      return respond(invalid(`Its 'describe' did not give a JSON object${why}`))
    }
    const submission = pluginSubmission(described.value, read.implementationOf, options, codec)
    if (!submission.ok) return respond({ type: 'definition-invalid', problems: submission.problems })
    const { allowBreaking } = options
    const [report] = await publish([submission.value], { principal: caller.value, allowBreaking })
    if (!report) throw new Error('A publication came to nothing')
    if (!report.ok) return respond(report.failure)
    return jsonText(JSON.stringify(encodeUploaded(report)), report.outcome === 'created' ? 201 : 200)
  })

  return face
}

function invalid(message: string): Failure {
  return { type: 'definition-invalid', problems: [{ path: '', message }] }
}

function isJsonObject(value: unknown): value is JsonObject {
  return isObject(value)
}
