import type { Hono } from 'hono'
import { fail, ok } from '../../../core/failure/failure.ts'
import { findPublisherRights, type Publish } from '../../../core/publish/publish.ts'
import { encodePublished, SUCCESS_STATUS, summarizeResults } from '../../../core/publish/report.ts'
import { type PluginReader, pluginSubmission } from '../../../core/publish/plugin-submission.ts'
import type { RegistryWriter } from '../../../core/publish/registry.ts'
import type { Codec } from '../../../core/tool/codec.ts'
import { namePart } from '../../../core/tool/definition-fields.ts'
import { isJsonObject } from '../../../core/tool/json.ts'
import { MAX_SOURCE_NODES } from '../../../core/tool/json-text.ts'
import { readBytes, readJsonText } from '../../../http/request/body.ts'
import { jsonRef, NOT_CALLABLE_NOTE } from '../../../http/route/response-specs.ts'
import { createRouter, PUBLISHER_ROUTE, type RouteDeps } from '../../../http/route/router.ts'
import { pluginQuery } from './wire.ts'

interface UploadRoutesDeps extends RouteDeps {
  readonly plugins: Pick<PluginReader, 'read'>
  readonly codec: Codec
  readonly publish: Publish
  readonly writer: Pick<RegistryWriter, 'rights'>
}

const WASM = 'application/wasm'
const PLUGIN_LIMIT = 5 * 1024 * 1024

export function createUploadRoutes(deps: UploadRoutesDeps): Hono {
  const { plugins, codec, publish, writer } = deps
  const { router, on } = createRouter(deps, { access: 'public' })

  on('PUT /toolkits/:toolkit/plugin', 'Publish a WebAssembly plugin as a toolkit', {
    ...PUBLISHER_ROUTE,
    auditAction: 'tools.publish',
    path: { toolkit: namePart },
    query: pluginQuery,
    requestType: WASM,
    responses: {
      200: { ...jsonRef('Already published', 'Published'), note: NOT_CALLABLE_NOTE },
      201: { ...jsonRef('Published', 'Published'), note: NOT_CALLABLE_NOTE },
    },
  })(async ({ c, principal, path: { toolkit }, query: { allow, ...wrapper }, addAuditDetails, memory }) => {
    const { denied } = await findPublisherRights(principal, toolkit, writer)
    if (denied !== undefined) return fail({ type: 'forbidden', reason: denied })
    const options = { toolkit, ...wrapper }
    const request = c.req.raw
    const body = await readBytes(request, { mediaType: WASM, limit: PLUGIN_LIMIT, memory })
    if (!body.ok) return body
    const plugin = await plugins.read(body.value, options, request.signal)
    if (!plugin.ok) return plugin
    const description = await readJsonText(plugin.described, { maxParts: MAX_SOURCE_NODES })
    if (!description.ok || !isJsonObject(description.value)) {
      const detail = !description.ok && 'message' in description.failure ? `: ${description.failure.message}` : ''
      const problem = { path: '', message: `Its 'describe' did not give a JSON object${detail}` }
      return fail({ type: 'definition-invalid', problems: [problem] })
    }
    const submission = pluginSubmission(description.value, plugin.createImplementation, options, codec)
    if (!submission.ok) return fail({ type: 'definition-invalid', problems: submission.problems })
    const results = await publish([submission.value], { principal, allowBreaking: allow !== undefined })
    addAuditDetails(summarizeResults(results))
    const [result] = results
    if (!result) throw new Error('A publication came to nothing')
    if (!result.ok) return result
    return { ...ok(encodePublished(result)), status: SUCCESS_STATUS[result.outcome] }
  })

  return router
}
