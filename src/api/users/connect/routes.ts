import type { Hono } from 'hono'
import { type Principal, shareOwner } from '../../../core/access/principal.ts'
import type { CallableTool } from '../../../core/call/callable-tool.ts'
import type { UserTokens } from '../../../core/call/user-tokens.ts'
import type { AuthorizationChallenge } from '../../../core/consent/authorization.ts'
import type { Providers } from '../../../core/consent/provider.ts'
import { fail, ok } from '../../../core/failure/failure.ts'
import { namePart, requirementId } from '../../../core/tool/definition-fields.ts'
import { object, optional, string } from '../../../core/tool/json-reader.ts'
import type { WaitUntil } from '../../../core/tool/platform.ts'
import { isCallerToken, type ToolRecord } from '../../../core/tool/tool.ts'
import { matchesTool } from '../../../core/tool/tool-id.ts'
import { jsonBody } from '../../../http/request/json-body.ts'
import { getBackground } from '../../../http/route/authorizer.ts'
import { json, objectSchema, TEXT, TEXTS } from '../../../http/route/response-specs.ts'
import { createRouter, type RouteDeps } from '../../../http/route/router.ts'
import { userRoute } from '../path-user.ts'

export interface AccountLinkAnswers {
  'POST /users/:user/connections': AuthorizationChallenge
}

interface AccountLinkRoutesDeps extends RouteDeps {
  readonly userTokens: Pick<UserTokens, 'tokenFor'>
  readonly findProvider: Providers['find']
  /** Lists tools that the principal sees and that may use grants. */
  readonly listTools: (toolkit: string, principal: Principal, background: WaitUntil) => Promise<readonly CallableTool[]>
}

const BODY = object({ provider: requirementId, toolkit: namePart, account: optional(string({ max: 64 })) })
const LINK = objectSchema({ id: TEXT, authorization: TEXT, url: TEXT, check_url: TEXT, scopes: TEXTS, status: TEXT })

/** Creates a challenge's link before a call needs it, for all tools of a toolkit that require the provider. */
export function createAccountLinkRoutes({ userTokens, findProvider, listTools, ...deps }: AccountLinkRoutesDeps): Hono {
  const { router, on } = createRouter<AccountLinkAnswers>(deps)

  on('POST /users/:user/connections', 'Create a link for a user to connect an account', {
    ...userRoute(),
    auditAction: 'connection.begin',
    body: jsonBody(BODY),
    responses: { 201: json('The link for the user to open', LINK) },
  })(async ({ c, principal, path: { user }, body: { provider, toolkit, account }, addAuditDetails }) => {
    addAuditDetails({ provider, toolkit })
    const [tools, settings] = await Promise.all([
      listTools(toolkit, principal, getBackground(c)),
      findProvider(provider),
    ])
    const mayUse = (record: ToolRecord) => settings?.tools?.some((pattern) => matchesTool(pattern, record)) ?? true
    const requirements = tools.flatMap(({ record, runnable }) =>
      (mayUse(record) ? record.requirements.authorization : [])
        .filter((requirement) => requirement.id === provider && !isCallerToken(requirement))
        .map(({ oauth2 }) => ({ record, scopes: oauth2?.scopes ?? [], hosts: (runnable.ok && runnable.hosts) || [] })),
    )
    const [first] = requirements
    const message = `No tool of '${toolkit}' that may use accounts requires '${provider}'`
    if (!first) return fail({ type: 'not-found', message })
    const result = await userTokens.tokenFor({
      userId: user,
      requirement: { id: provider, oauth2: { scopes: requirements.flatMap(({ scopes }) => scopes) } },
      tool: first.record,
      hosts: [...new Set(requirements.flatMap(({ hosts }) => hosts))],
      ...(account === undefined ? {} : { account }),
      requestedBy: principal.name,
      chargedTo: shareOwner(principal),
      requestUrl: () => c.req.url,
      isConnection: true,
    })
    if ('challenge' in result && !result.challenge.needsSetup) return { ...ok(result.challenge), status: 201 }
    if ('reason' in result) return fail({ ...result, type: 'unavailable', message: result.reason })
    if ('unavailable' in result) return fail({ ...result, type: 'unavailable', message: result.unavailable })
    const several = `The user has several accounts at '${provider}': name one, or a new one, as 'account'`
    return fail({ type: 'request-malformed', message: several })
  })

  return router
}
