import { type Context, Hono } from 'hono'
import type { Principal } from '../../core/access/principal.ts'
import type { KeyStore } from '../../core/access/api-key.ts'
import type { ToolkitStore } from '../../core/access/toolkit.ts'
import { malformed } from '../../core/call/call-fields.ts'
import { type Failing, fail } from '../../core/call/failure.ts'
import { isNamePart } from '../../core/tool/tool-id.ts'
import { readJson } from '../../http/body.ts'
import { createPrivateRoute, type Note, type RouteDeps } from '../../http/route.ts'
import { decodeOwner, encodeToolkit, principalNamed } from './wire.ts'

export interface ToolkitsFaceDeps extends RouteDeps {
  readonly toolkits: ToolkitStore
  readonly keys: Pick<KeyStore, 'list'>
}

const BODY_LIMIT = 4_096

/**
 * `GET` and `PUT /toolkits/{toolkit}`: who owns a toolkit, and who is to own it, for administrators. One with bundled tools is
 * the deployment's, and cannot be given (`409`); one that does not exist yet can, so that nobody else begins it.
 */
export function toolkitsFace(deps: ToolkitsFaceDeps): Hono {
  const { toolkits, keys } = deps
  const route = createPrivateRoute(deps)
  const face = new Hono()

  face.get('/toolkits/:toolkit', route('admin', show))
  face.put('/toolkits/:toolkit', route('admin', give, 'toolkit.give'))

  async function show(c: Context): Promise<Response | Failing> {
    const name = c.req.param('toolkit') ?? ''
    const toolkit = isNamePart(name) ? await toolkits.find(name) : undefined
    if (toolkit) return c.json(encodeToolkit(toolkit))
    return fail({ type: 'not-found', message: `Toolkit '${name.slice(0, 200)}' was not found` })
  }

  async function give(c: Context, _: Principal, note: Note): Promise<Response | Failing> {
    const name = c.req.param('toolkit') ?? ''
    if (!isNamePart(name)) {
      return malformed([{ path: '', message: 'The toolkit must be 1 to 64 of A-Z, a-z, 0-9, _ and -' }], 'the path')
    }
    const body = await readJson(c.req.raw, BODY_LIMIT)
    if (!body.ok) return body
    const asked = decodeOwner(body.value)
    if (!asked.ok) return fail({ type: 'definition-invalid', problems: asked.problems })
    const { owner } = asked.value
    note({ owner })
    const named = owner === null ? undefined : principalNamed(owner)
    if (named?.key !== undefined && !(await keys.list()).some(({ id }) => id === named.key)) {
      const message =
        "Must be the id of a key, as GET /keys lists it, 'admin', 'jwt:<subject>', or null for the deployment"
      return fail({ type: 'definition-invalid', problems: [{ path: '/owner', message }] })
    }
    const given = await toolkits.give(name, named?.principal ?? null)
    if (given) return c.json(encodeToolkit(given))
    const message = `The toolkit '${name}' has bundled tools, so it is the deployment's: give a key that names it ('${name}.*')`
    return fail({ type: 'conflict', message })
  }

  return face
}
