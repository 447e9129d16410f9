import { type Context, Hono } from 'hono'
import type { ToolkitCounts } from '../../core/catalogue/catalogue.ts'
import { coverDenial, type Principal } from '../../core/access/principal.ts'
import type { KeyStore } from '../../core/access/api-key.ts'
import { isAdministrator } from '../../core/access/toolkit.ts'
import type { ToolkitChanged, ToolkitStore } from '../../core/access/toolkit.ts'
import { malformed } from '../../core/call/call-fields.ts'
import { type Failing, fail, ok, type Result } from '../../core/failure/failure.ts'
import { isNamePart } from '../../core/tool/tool-id.ts'
import { readJson } from '../../http/request/body.ts'
import { PRIVATE } from '../../http/answer/json-response.ts'
import { NO_QUERY } from '../../http/request/query.ts'
import { createPrivateRoute, createRoute, type Note, type RouteDeps } from '../../http/route/route.ts'
import {
  CHANGE,
  decodeOwner,
  decodeToolkitChange,
  encodeSummary,
  encodeToolkit,
  OWNED,
  principalNamed,
} from './wire.ts'

export interface ToolkitsFaceDeps extends RouteDeps {
  readonly toolkits: ToolkitStore
  readonly keys: Pick<KeyStore, 'withId'>
  readonly catalogue: ToolkitCounts
}

const BODY_LIMIT = 16_384

/**
 * `GET /toolkits`: the toolkits of the tools that the caller may see.
 *
 * `GET` and `PUT /toolkits/{toolkit}`: who owns a toolkit, and who is to own it, for administrators. One with bundled tools is
 * the deployment's, and cannot be given (`409`); one that does not exist yet can, so that nobody else begins it. `PATCH` changes
 * all of one at once, and `DELETE` deletes one that nobody may call any more, for whoever may publish all of it.
 */
export function toolkitsFace(deps: ToolkitsFaceDeps): Hono {
  const { toolkits, keys, catalogue } = deps
  const route = createPrivateRoute(deps)
  const face = new Hono()

  face.get('/toolkits', createRoute(deps)({ scope: 'tools:read', query: NO_QUERY }, list))
  face.get('/toolkits/:toolkit', route({ scope: 'admin', query: NO_QUERY }, show))
  face.put('/toolkits/:toolkit', route({ scope: 'admin', act: 'toolkit.give', query: NO_QUERY, body: OWNED }, give))
  face.patch(
    '/toolkits/:toolkit',
    route({ scope: 'tools:publish', act: 'toolkit.change', query: NO_QUERY, body: CHANGE }, change),
  )
  face.delete('/toolkits/:toolkit', route({ scope: 'tools:publish', act: 'toolkit.remove', query: NO_QUERY }, remove))

  async function list(c: Context, principal: Principal): Promise<Response> {
    const items = await catalogue.toolkits(principal)
    return c.json({ items: items.map(encodeSummary) }, 200, PRIVATE)
  }

  async function show(c: Context): Promise<Response | Failing> {
    const name = c.req.param('toolkit') ?? ''
    const toolkit = isNamePart(name) ? await toolkits.find(name) : undefined
    if (toolkit) return c.json(encodeToolkit(toolkit))
    return unknown(name)
  }

  async function give(c: Context, _: Principal, note: Note): Promise<Response | Failing> {
    const name = c.req.param('toolkit') ?? ''
    if (!isNamePart(name)) {
      return malformed([{ path: '', message: 'The toolkit must be 1 to 64 of A-Z, a-z, 0-9, _ and -' }], 'the path')
    }
    const body = await readJson(c.req.raw, BODY_LIMIT)
    if (!body.ok) return body
    const asked = decodeOwner(body.value)
    if (!asked.ok) return fail({ type: 'definition-invalid', what: 'change', problems: asked.problems })
    const { owner } = asked.value
    note({ owner })
    const principal = await ownerNamed(owner)
    if (!principal.ok) return principal
    const known = await toolkits.find(name)
    if (known?.deleted) {
      const message = `The toolkit '${name}' was deleted, and its name is kept until ${new Date(known.deleted.until).toISOString()}: bring it back first, with PATCH /toolkits/${name} and {"status": "active"}`
      return fail({ type: 'conflict', message })
    }
    const given = await toolkits.give(name, principal.value)
    if (given) return c.json(encodeToolkit(given))
    const message = `The toolkit '${name}' has bundled tools, so it is the deployment's: give a key that names it ('${name}.*')`
    return fail({ type: 'conflict', message })
  }

  /** The principal that a body names as the owner; null for the deployment. */
  async function ownerNamed(owner: string | null): Promise<Result<string | null>> {
    const named = owner === null ? undefined : principalNamed(owner)
    if (named?.key === undefined || (await keys.withId(named.key))) {
      return ok(named?.principal ?? null)
    }
    const message =
      "Must be the id of a key, as GET /keys lists it, 'admin', 'jwt:<subject>', or null for the deployment"
    return fail({ type: 'definition-invalid', what: 'change', problems: [{ path: '/owner', message }] })
  }

  async function change(c: Context, principal: Principal, note: Note): Promise<Response | Failing> {
    const name = c.req.param('toolkit') ?? ''
    const refused = refuseUnnamed(principal, name)
    if (refused) return refused
    const body = await readJson(c.req.raw, BODY_LIMIT)
    if (!body.ok) return body
    const asked = decodeToolkitChange(body.value)
    if (!asked.ok) return malformed(asked.problems)
    note({ ...asked.value })
    const { owner, ...others } = asked.value
    // Nobody else may ask which keys there are
    if (owner !== undefined && !isAdministrator(principal)) {
      return fail({ type: 'forbidden', reason: 'Only an administrator says who owns a toolkit' })
    }
    const named = owner === undefined ? undefined : await ownerNamed(owner)
    if (named?.ok === false) return named
    const changed = await toolkits.change(name, { ...others, ...(named ? { owner: named.value } : {}) }, principal)
    return changedAnswer(c, name, changed)
  }

  async function remove(c: Context, principal: Principal): Promise<Response | Failing> {
    const name = c.req.param('toolkit') ?? ''
    return refuseUnnamed(principal, name) ?? changedAnswer(c, name, await toolkits.remove(name, principal))
  }

  return face
}

/** Whoever's patterns do not cover a toolkit is not told whether there is one. */
function refuseUnnamed(principal: Principal, toolkit: string): Failing | undefined {
  if (!isNamePart(toolkit)) return unknown(toolkit)
  const denied = coverDenial(principal, { toolkit, tool: '*' }, 'tools:publish')
  return denied && fail(denied)
}

function changedAnswer(c: Context, name: string, changed: ToolkitChanged | undefined): Response | Failing {
  if (!changed) return unknown(name)
  if (changed.ok) return c.json(encodeToolkit(changed.toolkit))
  const { reason, isConflict } = changed
  return fail(isConflict ? { type: 'conflict', message: reason } : { type: 'forbidden', reason })
}

function unknown(name: string): Failing {
  return fail({ type: 'not-found', message: `Toolkit '${name.slice(0, 200)}' was not found` })
}
