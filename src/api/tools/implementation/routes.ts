import { type Context, Hono } from 'hono'
import { maySee, type Principal } from '../../../core/access/principal.ts'
import { mayReadImplementation } from '../../../core/access/toolkit.ts'
import { type Failing, fail, ok, type Result } from '../../../core/failure/failure.ts'
import type { Implementation, ToolRecord } from '../../../core/tool/tool.ts'
import { backgroundOf } from '../../../http/route/gate.ts'
import { jsonText, notModified, PRIVATE } from '../../../http/answer/json-response.ts'
import { NO_QUERY } from '../../../http/request/query.ts'
import { createRoute, type RouteDeps } from '../../../http/route/route.ts'
import { createFindTool, type FindToolDeps } from '../find-tool.ts'
import { encodeImplementation, moduleHeaders, moduleOf } from './wire.ts'

export interface ImplementationFaceDeps extends RouteDeps, FindToolDeps {
  /** The bytes that are kept under a hash. */
  readonly readBlob: (hash: string) => Promise<ArrayBuffer | undefined>
}

interface Read {
  readonly record: ToolRecord
  readonly implementation: Implementation
}

/**
 * `GET /tools/{id}/implementation`: what a version runs, as it was published, for whoever decides that: administrators, its
 * toolkit's owner, and keys that may publish in it by name. `…/module` gives a code tool's or a plugin's module as a file.
 * Who may not see the tool is told `404`, and who may see it `403`.
 */
export function implementationFace(deps: ImplementationFaceDeps): Hono {
  const { toolkits, readBlob } = deps
  const route = createRoute(deps)
  const find = createFindTool(deps)
  const face = new Hono()

  face.get('/tools/:id/implementation', route({ scope: 'tools:publish', query: NO_QUERY }, show))
  face.get('/tools/:id/implementation/module', route({ scope: 'tools:publish', query: NO_QUERY }, module))

  async function show(c: Context, principal: Principal): Promise<Response | Failing> {
    const read = await implementationOf(c, principal)
    if (!read.ok) return read
    const { record, implementation } = read.value
    const headers = { ...PRIVATE, etag: `"${record.digest}.implementation"` }
    const text = () => JSON.stringify(encodeImplementation(record, implementation))
    return notModified(c.req.raw, headers) ?? jsonText(text(), 200, headers)
  }

  async function module(c: Context, principal: Principal): Promise<Response | Failing> {
    const read = await implementationOf(c, principal)
    if (!read.ok) return read
    const { record, implementation } = read.value
    const found = moduleOf(implementation)
    if (!found) return missing(`'${record.id}' has no module: it is of the kind '${implementation.kind}'`)
    const name = `${record.toolkit}.${record.tool}-${record.version}`
    const headers = { ...PRIVATE, ...moduleHeaders(found, name), etag: `"${record.digest}.module"` }
    const held = notModified(c.req.raw, headers)
    if (held) return held
    const body = found.type === 'javascript' ? found.text : await readBlob(found.blob)
    return body === undefined
      ? missing(`The module of '${record.id}' is not kept here`)
      : new Response(body, { headers })
  }

  async function implementationOf(c: Context, principal: Principal): Promise<Result<Read>> {
    const asked = c.req.param('id') ?? ''
    const found = await find(asked, principal, backgroundOf(c))
    if (!found || !maySee(principal, found.record)) return missing(`Tool '${asked.slice(0, 200)}' was not found`)
    const { record } = found
    const owner = (await toolkits.find(record.toolkit))?.owner ?? 'nobody'
    if (!mayReadImplementation(principal, record, owner)) {
      const reason = `How '${record.id}' is implemented is for the owner of its toolkit, for keys that name it, and for administrators`
      return fail({ type: 'forbidden', reason })
    }
    const { implementation } = record
    if (!implementation) return missing(`'${record.id}' was published without an implementation`)
    return ok({ record, implementation })
  }

  return face
}

function missing(message: string): Failing {
  return fail({ type: 'not-found', message })
}
