import type { Hono } from 'hono'
import type { KeyStore } from '../../core/access/api-key.ts'
import { findCoverDenial, type Principal } from '../../core/access/principal.ts'
import { isAdministrator, type ToolkitChangeResult, type ToolkitStore } from '../../core/access/toolkit-owner.ts'
import type { ToolkitCounts } from '../../core/catalog/catalog.ts'
import { type FailureResult, fail, ok, type Result } from '../../core/failure/failure.ts'
import { namePart } from '../../core/tool/definition-fields.ts'
import { isNamePart } from '../../core/tool/tool-id.ts'
import { PRIVATE } from '../../http/response/json-response.ts'
import { jsonBody } from '../../http/request/json-body.ts'
import { jsonRef, itemList } from '../../http/route/response-specs.ts'
import { ADMIN, createRouter, PUBLISHER, READER, type RouteDeps } from '../../http/route/router.ts'
import {
  TOOLKIT_CHANGE_BODY,
  encodeSummary,
  encodeToolkit,
  OWNER_BODY,
  findNamedPrincipal,
  type ToolkitAnswers,
} from './wire.ts'

export interface ToolkitsRoutesDeps extends RouteDeps {
  readonly toolkits: ToolkitStore
  readonly keys: Pick<KeyStore, 'findById'>
  readonly catalog: ToolkitCounts
}

/** A toolkit that does not exist yet can be given too, so that nobody else begins it. */
export function createToolkitsRoutes(deps: ToolkitsRoutesDeps): Hono {
  const { toolkits, keys, catalog } = deps
  const { router, on } = createRouter<ToolkitAnswers>(deps)

  on('GET /toolkits', 'List toolkits', {
    ...READER,
    isPrivate: false,
    answers: { 200: itemList('Toolkits with tools that the caller may see', 'ToolkitSummary') },
  })(async ({ principal }) => {
    const counts = await catalog.toolkits(principal)
    return { ...ok({ items: counts.map(encodeSummary) }), headers: PRIVATE }
  })

  on('GET /toolkits/:toolkit', 'Get a toolkit', {
    ...ADMIN,
    answers: { 200: jsonRef('The toolkit', 'Toolkit') },
  })(async ({ path: { toolkit: name } }) => {
    const toolkit = isNamePart(name) ? await toolkits.find(name) : undefined
    return toolkit ? ok(encodeToolkit(toolkit)) : unknown(name)
  })

  on('PUT /toolkits/:toolkit', 'Set the owner of a toolkit', {
    ...ADMIN,
    path: { toolkit: namePart },
    act: 'toolkit.give',
    body: jsonBody(OWNER_BODY, { what: 'change' }),
    answers: { 200: jsonRef('The toolkit', 'Toolkit') },
  })(async ({ principal, path: { toolkit: name }, body: { owner }, note }) => {
    note({ owner })
    const to = await ownerNamed(owner)
    if (!to.ok) return to
    return changedAnswer(name, await toolkits.change(name, { to: to.value }, principal))
  })

  async function ownerNamed(owner: string | null): Promise<Result<string | null>> {
    const named = owner === null ? undefined : findNamedPrincipal(owner)
    if (named?.key === undefined || (await keys.findById(named.key))) return ok(named?.principal ?? null)
    const message =
      "Must be the id of a key, as GET /keys lists it, 'admin', 'jwt:<subject>', or null for the deployment"
    return fail({ type: 'definition-invalid', what: 'change', problems: [{ path: '/owner', message }] })
  }

  on('PATCH /toolkits/:toolkit', 'Update the status, owner, tags or description of a toolkit', {
    ...PUBLISHER,
    act: 'toolkit.change',
    body: jsonBody(TOOLKIT_CHANGE_BODY),
    answers: { 200: jsonRef('The updated toolkit', 'Toolkit') },
  })(async ({ principal, path: { toolkit: name }, body, note }) => {
    const refused = refuseUnnamed(principal, name)
    if (refused) return refused
    note({ ...body })
    const { owner, ...others } = body
    // Nobody else may ask which keys there are
    if (owner !== undefined && !isAdministrator(principal))
      return fail({ type: 'forbidden', reason: 'Only an administrator can change who owns a toolkit' })
    const named = owner === undefined ? undefined : await ownerNamed(owner)
    if (named?.ok === false) return named
    const change = { ...others, ...(named ? { owner: named.value } : {}) }
    return changedAnswer(name, await toolkits.change(name, change, principal))
  })

  on('DELETE /toolkits/:toolkit', 'Delete a toolkit that can no longer be called', {
    ...PUBLISHER,
    act: 'toolkit.remove',
    answers: { 200: jsonRef('The deleted toolkit, and until when it is kept', 'Toolkit') },
  })(
    async ({ principal, path: { toolkit: name } }) =>
      refuseUnnamed(principal, name) ?? changedAnswer(name, await toolkits.change(name, 'delete', principal)),
  )

  return router
}

/** Callers whose patterns do not cover a toolkit are not told whether there is one. */
function refuseUnnamed(principal: Principal, toolkit: string): FailureResult | undefined {
  if (!isNamePart(toolkit)) return unknown(toolkit)
  const denied = findCoverDenial(principal, { toolkit, tool: '*' }, 'tools:publish')
  return denied && fail(denied)
}

function changedAnswer(name: string, changed: ToolkitChangeResult | undefined) {
  if (!changed) return unknown(name)
  if (changed.ok) return ok(encodeToolkit(changed.toolkit))
  const { reason, isConflict } = changed
  return fail(isConflict ? { type: 'conflict', message: reason } : { type: 'forbidden', reason })
}

const unknown = (name: string) => fail({ type: 'not-found', message: `Toolkit '${name.slice(0, 200)}' was not found` })
