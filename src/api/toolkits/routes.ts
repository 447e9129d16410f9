import type { Hono } from 'hono'
import type { KeyStore } from '../../core/access/api-key.ts'
import { findCoverDenial, type Principal } from '../../core/access/principal.ts'
import { isAdministrator, type ToolkitChangeResult, type ToolkitStore } from '../../core/access/toolkit-owner.ts'
import type { ToolkitCounts } from '../../core/catalog/catalog.ts'
import { type FailureResult, fail, ok, type Result } from '../../core/failure/failure.ts'
import { namePart } from '../../core/tool/definition-fields.ts'
import { optional } from '../../core/tool/json-reader.ts'
import { isNamePart } from '../../core/tool/tool-id.ts'
import type { WaitUntil } from '../../core/tool/platform.ts'
import { PRIVATE } from '../../http/response/json-response.ts'
import { jsonBody } from '../../http/request/json-body.ts'
import { defineQuery } from '../../http/request/query.ts'
import { getBackground } from '../../http/route/authorizer.ts'
import { jsonRef, itemList } from '../../http/route/response-specs.ts'
import { ADMIN_ROUTE, createRouter, PUBLISHER_ROUTE, READER_ROUTE, type RouteDeps } from '../../http/route/router.ts'
import { findSuccessorInToolkit, findUnknownSuccessor } from '../../core/publish/successor.ts'
import {
  TOOLKIT_CHANGE_BODY,
  encodeSummary,
  encodeToolkit,
  OWNER_BODY,
  findNamedPrincipal,
  type ToolkitAnswers,
} from './wire.ts'

interface ToolkitsRoutesDeps extends RouteDeps {
  readonly toolkits: ToolkitStore
  readonly keys: Pick<KeyStore, 'findById'>
  readonly catalog: ToolkitCounts
  readonly findTool: (ref: string, principal: Principal, background: WaitUntil) => Promise<object | undefined>
  readonly countTokens: (principal: Principal, toolkit: string) => Promise<Result<number>>
}

/** The owner of a toolkit can be set before it exists, so that nobody else creates it. */
export function createToolkitsRoutes(deps: ToolkitsRoutesDeps): Hono {
  const { toolkits, keys, catalog, findTool, countTokens } = deps
  const { router, on } = createRouter<ToolkitAnswers>(deps)

  on('GET /toolkits', 'List toolkits', {
    ...READER_ROUTE,
    isPrivate: false,
    query: defineQuery({ tokens: optional(namePart) }),
    responses: { 200: itemList('Toolkits with tools that the caller may see', 'ToolkitSummary') },
  })(async ({ principal, query }) => {
    const counts = await catalog.toolkits(principal)
    const countedToolkit = counts.find(({ toolkit }) => toolkit.toLowerCase() === query.tokens?.toLowerCase())
    const tokens = countedToolkit && (await countTokens(principal, countedToolkit.toolkit))
    if (tokens?.ok === false) return tokens
    const items = counts.map((each) => encodeSummary(each, each === countedToolkit ? tokens?.value : undefined))
    return { ...ok({ items }), headers: PRIVATE }
  })

  on('GET /toolkits/:toolkit', 'Get a toolkit', {
    ...ADMIN_ROUTE,
    responses: { 200: jsonRef('The toolkit', 'Toolkit') },
  })(async ({ path: { toolkit: name } }) => {
    const toolkit = isNamePart(name) ? await toolkits.find(name) : undefined
    return toolkit ? ok(encodeToolkit(toolkit)) : unknown(name)
  })

  on('PUT /toolkits/:toolkit', 'Set the owner of a toolkit', {
    ...ADMIN_ROUTE,
    path: { toolkit: namePart },
    auditAction: 'toolkit.give',
    body: jsonBody(OWNER_BODY, { what: 'change' }),
    responses: { 200: jsonRef('The toolkit', 'Toolkit') },
  })(async ({ principal, path: { toolkit: name }, body: { owner }, addAuditDetails }) => {
    addAuditDetails({ owner })
    const newOwner = await resolveOwner(owner)
    if (!newOwner.ok) return newOwner
    return toChangeResponse(name, await toolkits.change(name, { to: newOwner.value }, principal))
  })

  async function resolveOwner(owner: string | null): Promise<Result<string | null>> {
    const principal = owner === null ? undefined : findNamedPrincipal(owner)
    if (principal?.key === undefined || (await keys.findById(principal.key))) return ok(principal?.principal ?? null)
    const message =
      "Must be the id of a key, as GET /keys lists it, 'admin', 'jwt:<subject>', or null for the deployment"
    return fail({ type: 'definition-invalid', what: 'change', problems: [{ path: '/owner', message }] })
  }

  on('PATCH /toolkits/:toolkit', 'Update the status, owner, tags or description of a toolkit', {
    ...PUBLISHER_ROUTE,
    auditAction: 'toolkit.change',
    body: jsonBody(TOOLKIT_CHANGE_BODY),
    responses: { 200: jsonRef('The updated toolkit', 'Toolkit') },
  })(async ({ c, principal, path: { toolkit: name }, body, addAuditDetails }) => {
    const denial = denyUncovered(principal, name)
    if (denial) return denial
    addAuditDetails({ ...body })
    const successorProblem =
      findSuccessorInToolkit(body.status, name) ??
      (await findUnknownSuccessor(body.status, (id) => findTool(id, principal, getBackground(c))))
    if (successorProblem) return fail({ type: 'request-malformed', message: successorProblem })
    const { owner, ...settings } = body
    // Others must not learn which keys exist
    if (owner !== undefined && !isAdministrator(principal))
      return fail({ type: 'forbidden', reason: 'Only an administrator can change who owns a toolkit' })
    const newOwner = owner === undefined ? undefined : await resolveOwner(owner)
    if (newOwner?.ok === false) return newOwner
    const change = { ...settings, ...(newOwner ? { owner: newOwner.value } : {}) }
    return toChangeResponse(name, await toolkits.change(name, change, principal))
  })

  on('DELETE /toolkits/:toolkit', 'Delete a toolkit that can no longer be called', {
    ...PUBLISHER_ROUTE,
    auditAction: 'toolkit.remove',
    responses: { 200: jsonRef('The deleted toolkit and when it expires', 'Toolkit') },
  })(
    async ({ principal, path: { toolkit: name } }) =>
      denyUncovered(principal, name) ?? toChangeResponse(name, await toolkits.change(name, 'delete', principal)),
  )

  return router
}

/** Callers whose patterns do not cover a toolkit must not learn whether it exists. */
function denyUncovered(principal: Principal, toolkit: string): FailureResult | undefined {
  if (!isNamePart(toolkit)) return unknown(toolkit)
  const denial = findCoverDenial(principal, { toolkit, tool: '*' }, 'tools:publish')
  return denial && fail(denial)
}

function toChangeResponse(name: string, change: ToolkitChangeResult) {
  if (change.ok) return ok(encodeToolkit(change.toolkit))
  return change.failure.type === 'unknown' ? unknown(name) : fail(change.failure)
}

const unknown = (name: string) => fail({ type: 'not-found', message: `Toolkit '${name.slice(0, 200)}' was not found` })
