import { mayApproveByKey, mayApprove, type Principal } from '../../core/access/principal.ts'
import { type FailureResult, ok, type Result } from '../../core/failure/failure.ts'
import {
  type Authorization,
  authorizationPath,
  type Authorizations,
  isOpen,
  needsSignIn,
  type SignedInPerson,
  type SignInMethod,
} from '../../core/consent/authorization.ts'
import type { Providers } from '../../core/consent/provider.ts'
import { parseToolId, type ToolName } from '../../core/tool/tool-id.ts'
import type { WaitUntil } from '../../core/tool/platform.ts'
import { getBackground, type RouteContext } from '../../http/route/authorizer.ts'
import { failurePage, type Page } from '../../http/page/page.ts'
import { quoteName } from '../../http/page/text.ts'
import { pathSegment } from '../../http/request/path-segment.ts'
import type { Sessions } from '../../http/caller/sessions.ts'
import type { KnownTool } from './grant-page.tsx'
import type { DeadEnd } from './pages.tsx'

export interface OpenLinkDeps {
  readonly authorizations: Pick<Authorizations, 'find'>
  readonly providers: Providers
  readonly limitAnonymous: (c: RouteContext) => FailureResult | undefined
  readonly sessions: Pick<Sessions, 'findSession' | 'loadPrincipal'>
  readonly signInMethod: SignInMethod
  /** Whether the deployment has a user verifier, which identifies people who are not signed in. */
  readonly hasVerifier: boolean
  /** The principal whose key made a call. */
  readonly findCaller: (principal: string) => Promise<Principal | undefined>
  /** Finds a tool by its full id; undefined if it no longer exists. */
  readonly findTool: (id: string, background: WaitUntil) => Promise<KnownTool | undefined>
}

export type OpenedLink = Extract<Awaited<ReturnType<ReturnType<typeof createOpenLink>>>, { readonly ok: true }>

/** Opens the link of an authorization. Returns its authorization and person, or a page that explains why it cannot continue. */
export function createOpenLink(deps: OpenLinkDeps) {
  const { authorizations, providers, limitAnonymous, sessions, signInMethod, hasVerifier, findCaller, findTool } = deps

  async function findPerson(
    c: RouteContext,
    authorization: Authorization,
  ): Promise<Result<SignedInPerson | undefined>> {
    if (!needsSignIn(signInMethod, authorization.kind)) return ok(undefined)
    const signedIn = await sessions.findSession(c.req.raw, () => limitAnonymous(c))
    if (!signedIn.ok) return signedIn.failure.type === 'unauthenticated' ? ok(undefined) : signedIn
    const { session } = signedIn.value
    // Bypasses the cache: a grant given now would persist even if the person's access has just ended
    const { result } = await sessions.loadPrincipal(session.authenticatedBy)
    if (!result.ok) return result.failure.type === 'unauthenticated' ? ok(undefined) : result
    const principal = result.value
    const name = parseToolId(authorization.tool)
    if (session.authenticatedBy.kind === 'person') {
      const approves = name !== undefined && mayApprove(principal, name)
      return ok({ user: session.authenticatedBy.person.user, principal: principal.id, approves })
    }
    // A key does not identify a person
    if (signInMethod === 'openid') return ok(undefined)
    const approves = name !== undefined && (await mayApproveOthersCall(authorization, principal, name, findCaller))
    return ok({ principal: principal.id, name: principal.name, approves })
  }

  return async (c: RouteContext) => {
    const id = pathSegment(c.req.raw.url, 2)
    if (!id.ok) return stopAt(failurePage(id.failure))
    const { userlessPage, otherPersonPage, signInPage, unknownPage } = await import('./pages.tsx')
    const authorization = await authorizations.find(id.value)
    if (!authorization) {
      // The link of a call without a user has the provider's id
      const provider = await providers.find(id.value)
      return stopAt(provider ? userlessPage(provider.name) : unknownPage(id.value))
    }
    const visitor = await findPerson(c, authorization)
    if (!visitor.ok) return stopAt(failurePage(visitor.failure))
    const person = visitor.value
    const startUrl = startPath(id.value)
    const mustBeSignedIn = !hasVerifier && needsSignIn(signInMethod, authorization.kind)
    if (mustBeSignedIn && !person) return stopAt(signInPage(startUrl))
    if (mustBeSignedIn && person && !mayDecide(authorization, person))
      return stopAt(otherPersonPage(formatPersonName(person), startUrl, isOwnCall(authorization, person)))
    const [provider, tool] = await Promise.all([
      providers.find(authorization.provider),
      findTool(authorization.tool, getBackground(c)),
    ])
    return { ok: true, authorization, person, provider, tool, name: provider?.name ?? authorization.provider } as const
  }
}

function stopAt(deadEnd: Page | DeadEnd) {
  return { ok: false, page: deadEnd } as const
}

async function mayApproveOthersCall(
  { status, invocation, userId }: Authorization,
  approver: Principal,
  tool: ToolName,
  findCaller: (principal: string) => Promise<Principal | undefined>,
): Promise<boolean> {
  // The call is not stored after the decision, so its caller is unknown
  if (!isOpen({ status })) return mayApprove(approver, tool)
  const caller = invocation && (await findCaller(invocation.principal))
  return caller !== undefined && mayApproveByKey(approver, caller, { tool, userId })
}

function isOwnCall({ invocation }: Authorization, { principal }: SignedInPerson): boolean {
  return invocation?.principal === principal
}

function mayDecide(authorization: Authorization, person: SignedInPerson): boolean {
  const { kind, userId } = authorization
  const { user, approves } = person
  if (isOpen(authorization) && isOwnCall(authorization, person)) return false
  return (userId !== undefined && user === userId) || (kind === 'approval' && approves)
}

export function formatPersonName({ user, name, principal }: SignedInPerson): string {
  return user ?? (name === undefined ? principal : `API key ${quoteName(name)}`)
}

export async function findProviderName(id: string, providers: Providers): Promise<string> {
  return (await providers.find(id))?.name ?? id
}

export function startPath(id: string): string {
  return `${authorizationPath(id)}/start`
}
