import type { Hono } from 'hono'
import {
  approveToolset,
  changeToolset,
  findBoundDenial,
  formatToolset,
  mayChangeToolset,
  rejectToolset,
} from '../../core/access/change-toolset.ts'
import type { Principal } from '../../core/access/principal.ts'
import { MAX_OWN_TOOLSETS, MAX_TOOLSET_BYTES, MAX_TOOLSETS, type Toolset } from '../../core/access/toolset.ts'
import {
  toolsetReader,
  type ToolsetStore,
  type ToolsetSummary,
  type ToolsetVersion,
} from '../../core/access/toolset.ts'
import { toolsetName } from '../../core/access/toolset-name.ts'
import { isAdministrator } from '../../core/access/toolkit-owner.ts'
import { malformedRequestFailure } from '../../core/call/call-options.ts'
import { type FailureResult, fail, ok } from '../../core/failure/failure.ts'
import type { Sha256 } from '../../core/tool/digest.ts'
import type { WaitUntil } from '../../core/tool/platform.ts'
import { computeRevision, matchesPrecondition, type Precondition } from '../../core/tool/precondition.ts'
import type { Problem } from '../../core/tool/problem.ts'
import { jsonBody } from '../../http/request/json-body.ts'
import { getBackground } from '../../http/route/authorizer.ts'
import { itemList, jsonRef, withEtag } from '../../http/route/response-specs.ts'
import { createRouter, etag, notFound, PRECONDITION_FAILED } from '../../http/route/router.ts'
import { PUBLISHER_ROUTE, type RouteDeps } from '../../http/route/router.ts'
import { checkToolset, type CheckToolsetDeps } from './check-toolset.ts'
import { createToolsetTokenCounter, type TokenCountDeps } from './count-tokens.ts'

interface ToolsetsRoutesDeps extends RouteDeps, TokenCountDeps, Omit<CheckToolsetDeps, 'findTool'> {
  readonly toolsets: ToolsetStore
  readonly findTool: (
    ref: string,
    principal: Principal,
    background: WaitUntil,
  ) => ReturnType<CheckToolsetDeps['findTool']>
  readonly sha256: Sha256
  readonly now: () => Date
}

type ListedToolset = Awaited<ReturnType<ReturnType<typeof createEncoder>>>

export interface ToolsetAnswers {
  'GET /toolsets': { readonly items: readonly ToolsetSummary[] }
  'GET /toolsets/:name': ListedToolset
  'PUT /toolsets/:name': ListedToolset & { readonly warnings?: readonly Problem[] }
  'DELETE /toolsets/:name': undefined
  'POST /toolsets/:name/approve': ListedToolset
  'POST /toolsets/:name/reject': ListedToolset
}

const ALL = { ...PUBLISHER_ROUTE, findDenial: findBoundDenial } as const
const ONE = { ...ALL, path: { name: toolsetName } } as const
const TOOLSET = withEtag(jsonRef('The toolset', 'Toolset'))

export function createToolsetsRoutes(deps: ToolsetsRoutesDeps): Hono {
  const { toolsets, findTool, sha256, now } = deps
  const countTokens = createToolsetTokenCounter(deps)
  const encodeToolset = createEncoder(countTokens)
  const { router, on } = createRouter<ToolsetAnswers>(deps)

  on('GET /toolsets', 'List toolsets', {
    ...ALL,
    responses: { 200: itemList('Toolsets of the caller; all for administrators', 'ToolsetSummary') },
  })(async ({ principal }) => {
    const items = await toolsets.list()
    return ok({ items: items.filter((toolset) => mayChangeToolset(principal, toolset)) })
  })

  on('GET /toolsets/:name', 'Get a toolset', { ...ONE, responses: { 200: TOOLSET } })(
    async ({ principal, path: { name } }) => {
      const toolset = await toolsets.load(name)
      if (!toolset || !mayChangeToolset(principal, toolset)) return notFound('toolset', name)
      return respondWith(toolset, principal)
    },
  )

  on('PUT /toolsets/:name', 'Create or replace a toolset', {
    ...ONE,
    auditAction: 'toolset.put',
    supportsIfMatch: true,
    body: jsonBody(toolsetReader, { limit: MAX_TOOLSET_BYTES }),
    responses: {
      200: withEtag(jsonRef('The replaced toolset, or the current one if the change needs approval', 'Toolset')),
      201: withEtag(jsonRef('The new toolset', 'Toolset')),
    },
  })(async ({ c, principal, path: { name }, body: definition, precondition, addAuditDetails }) => {
    const before = await toolsets.load(name)
    const owner = before?.owner ?? (await toolsets.findFormerOwner(name)) ?? principal.id
    if (!mayChangeToolset(principal, { owner })) return denyOther(name)
    if (!matchesPrecondition(before, precondition)) return PRECONDITION_FAILED
    if (!before && (await hasTooMany(principal)))
      return fail({ type: 'conflict', message: `You have ${MAX_OWN_TOOLSETS} toolsets, the maximum: delete one` })
    const text = formatToolset(name, definition)
    const { byteLength: size } = new TextEncoder().encode(text)
    if (size > MAX_TOOLSET_BYTES) return fail({ type: 'body-too-large', limit: MAX_TOOLSET_BYTES, size })
    const { problems, warnings } = await checkToolset(definition, principal, {
      ...deps,
      findTool: (ref, viewer) => findTool(ref, viewer, getBackground(c)),
    })
    if (problems.length > 0) return malformedRequestFailure(problems)
    const changeFields = { changed_at: now().toISOString(), changed_by: principal.id }
    const version = { definition, digest: `sha256:${await sha256(text)}`, ...changeFields }
    const tokens = await countTokens(name, version, principal)
    const toolset = before ? changeToolset(before, version, tokens) : { name, owner, revision: 1, ...version }
    const denial = await store(toolset, before)
    if (denial) return denial
    addAuditDetails({ digest: version.digest, revision: toolset.revision, pending: toolset.pending !== undefined })
    const report = { ...(await encodeToolset(toolset, principal)), ...(warnings.length > 0 ? { warnings } : {}) }
    return { ...ok(report), status: before ? 200 : 201, headers: etag(toolset) }
  })

  on('DELETE /toolsets/:name', 'Delete a toolset', { ...ONE, auditAction: 'toolset.remove', supportsIfMatch: true })(
    async ({ principal, path: { name }, precondition }) => {
      const before = await toolsets.load(name)
      if (!before) return notFound('toolset', name)
      if (!mayChangeToolset(principal, before)) return denyOther(name)
      if (!matchesPrecondition(before, precondition)) return PRECONDITION_FAILED
      const result = await toolsets.remove(name, [computeRevision(before)])
      if (result === 'precondition-failed') return PRECONDITION_FAILED
      return result === 'removed' ? ok(undefined) : notFound('toolset', name)
    },
  )

  const decision = { ...ONE, supportsIfMatch: true, responses: { 200: TOOLSET } } as const

  on('POST /toolsets/:name/approve', 'Approve the pending change of a toolset', {
    ...decision,
    auditAction: 'toolset.approve',
  })(async ({ principal, path: { name }, precondition }) => decide(approveToolset, name, principal, precondition))

  on('POST /toolsets/:name/reject', 'Reject the pending change of a toolset', {
    ...decision,
    auditAction: 'toolset.reject',
  })(async ({ principal, path: { name }, precondition }) => decide(rejectToolset, name, principal, precondition))

  /** `If-Match` is the digest of the change, so that a decision applies only to a change that the caller has seen. */
  async function decide(
    change: typeof approveToolset,
    name: string,
    principal: Principal,
    precondition: Precondition | undefined,
  ) {
    const before = await toolsets.load(name)
    if (!before) return notFound('toolset', name)
    if (!mayChangeToolset(principal, before)) return denyOther(name)
    const toolset = change(before)
    if (!toolset) return fail({ type: 'conflict', message: `No change of the toolset '${name}' waits for approval` })
    if (Array.isArray(precondition) && !precondition.includes(before.pending?.digest)) return PRECONDITION_FAILED
    return (await store(toolset, before)) ?? respondWith(toolset, principal)
  }

  /** Keeps one publisher from using up all toolsets. */
  async function hasTooMany(principal: Principal): Promise<boolean> {
    if (isAdministrator(principal)) return false
    const own = (await toolsets.list()).filter(({ owner }) => owner === principal.id)
    return own.length >= MAX_OWN_TOOLSETS
  }

  /** Fails if the toolset was changed concurrently. */
  async function store(toolset: Toolset, before: Toolset | undefined): Promise<FailureResult | undefined> {
    if (toolset === before) return undefined
    const result = await toolsets.put(toolset, before && [computeRevision(before)])
    if (result === 'precondition-failed') return PRECONDITION_FAILED
    if (result !== 'limit-reached') return undefined
    return fail({ type: 'conflict', message: `There are ${MAX_TOOLSETS} toolsets, the maximum: delete one` })
  }

  async function respondWith(toolset: Toolset, principal: Principal) {
    return { ...ok(await encodeToolset(toolset, principal)), headers: etag(toolset) }
  }

  return router
}

/** Encodes a toolset as written, with facts that the deployment adds. */
function createEncoder(countTokens: ReturnType<typeof createToolsetTokenCounter>) {
  return async ({ pending, ...current }: Toolset, principal: Principal) => {
    const { definition, ...toolset } = current
    const count = (version: ToolsetVersion) => countTokens(toolset.name, version, principal)
    const waiting = pending && { pending: { ...pending, tokens: await count(pending) } }
    return { ...definition, ...toolset, tokens: await count(current), ...waiting }
  }
}

function denyOther(name: string): FailureResult {
  return fail({ type: 'forbidden', reason: `The toolset '${name}' is another's: choose another name` })
}
