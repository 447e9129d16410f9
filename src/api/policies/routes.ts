import type { Hono } from 'hono'
import type { CheckSecretName, PolicyStore, Policy } from '../../core/access/policy.ts'
import { MAX_POLICIES, policyReader } from '../../core/access/policy.ts'
import { fail, ok } from '../../core/failure/failure.ts'
import { stringMatching } from '../../core/tool/json-reader.ts'
import type { Problem } from '../../core/tool/problem.ts'
import { isToolPattern } from '../../core/tool/tool-id.ts'
import { jsonBody } from '../../http/request/json-body.ts'
import { jsonRef, itemList, withEtag } from '../../http/route/response-specs.ts'
import { ADMIN_ROUTE, createRouter, etag, type RouteDeps, PRECONDITION_FAILED } from '../../http/route/router.ts'

export interface PolicyAnswers {
  'GET /policies': { readonly items: readonly Policy[] }
  'GET /policies/:pattern': Policy
  'PUT /policies/:pattern': Policy & { readonly warnings?: readonly Problem[] }
  'DELETE /policies/:pattern': undefined
}

interface PoliciesRoutesDeps extends RouteDeps {
  readonly store: PolicyStore
  readonly loadSecretCheck: () => Promise<CheckSecretName>
}

const PATTERN = stringMatching("a tool pattern such as '*', 'Gmail.*', '*.Delete*' or 'Gmail.GetEmails'", isToolPattern)

export function createPoliciesRoutes(deps: PoliciesRoutesDeps): Hono {
  const { store, loadSecretCheck } = deps
  const { router, on } = createRouter<PolicyAnswers>(deps)
  const ONE = { ...ADMIN_ROUTE, path: { pattern: PATTERN } } as const

  on('GET /policies', 'List policies', { ...ADMIN_ROUTE, responses: { 200: itemList('All policies', 'Policy') } })(
    async () => ok({ items: await store.list() }),
  )

  on('GET /policies/:pattern', 'Get a policy', {
    ...ONE,
    responses: { 200: withEtag(jsonRef('The policy', 'Policy')) },
  })(async ({ path: { pattern } }) => {
    // Patterns are unique ignoring case
    const policies = await store.list()
    const policy = policies.find((candidate) => candidate.pattern.toLowerCase() === pattern.toLowerCase())
    return policy ? { ...ok(policy), headers: etag(policy) } : unknown(pattern)
  })

  on('PUT /policies/:pattern', 'Create or replace the policy for a tool pattern', {
    ...ONE,
    auditAction: 'policy.put',
    supportsIfMatch: true,
    body: jsonBody(policyReader(), {
      what: 'policy',
      readerFor: async () => policyReader(await loadSecretCheck()),
    }),
    responses: {
      200: withEtag(jsonRef('The replaced policy', 'Policy')),
      201: withEtag(jsonRef('The new policy', 'Policy')),
    },
  })(async ({ path: { pattern }, body, precondition, addAuditDetails }) => {
    const policy = { pattern, ...body }
    const { limits, ...details } = policy
    addAuditDetails({ ...details, ...(limits ? { limits: { ...limits } } : {}) })
    // Checked before the change, so that nothing has changed if this fails
    const coversTool = await store.coversTool(pattern)
    const result = await store.put(policy, precondition)
    if (result === 'precondition-failed') return PRECONDITION_FAILED
    if (result === 'limit-reached')
      return fail({ type: 'conflict', message: `There are ${MAX_POLICIES} policies, the maximum: delete one` })
    const report = coversTool ? policy : { ...policy, warnings: [warnOfNoTool(pattern)] }
    return { ...ok(report), status: result === 'created' ? 201 : 200, headers: etag(policy) }
  })

  on('DELETE /policies/:pattern', 'Delete a policy', {
    ...ONE,
    auditAction: 'policy.remove',
    supportsIfMatch: true,
  })(async ({ path: { pattern }, precondition, addAuditDetails }) => {
    addAuditDetails({ pattern })
    const result = await store.remove(pattern, precondition)
    if (result === 'precondition-failed') return PRECONDITION_FAILED
    return result === 'removed' ? ok(undefined) : unknown(pattern)
  })

  return router
}

function warnOfNoTool(pattern: string): Problem {
  const message = `No tool matches '${pattern}' yet: the policy will apply to tools that do`
  return { path: '', message }
}

const unknown = (pattern: string) => fail({ type: 'not-found', message: `There is no policy for '${pattern}'` })
