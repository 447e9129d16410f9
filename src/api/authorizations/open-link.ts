import { mayApproveByKey, mayApprove, type Principal } from '../../core/access/principal.ts'
import { type FailureResult, ok, type Result } from '../../core/failure/failure.ts'
import {
  type Authorization,
  type Authorizations,
  isOpen,
  type SignedInPerson,
} from '../../core/consent/authorization.ts'
import type { Providers } from '../../core/consent/provider.ts'
import { parseToolId, type ToolName } from '../../core/tool/tool-id.ts'
import type { WaitUntil } from '../../core/tool/platform.ts'
import { getBackground, type RouteContext } from '../../http/route/authorizer.ts'
import { failurePage } from '../../http/page/page.ts'
import { quoteName } from '../../http/page/text.ts'
import { pathSegment } from '../../http/request/path-segment.ts'
import type { Sessions } from '../../http/caller/sessions.ts'
import type { KnownTool } from './grant-page.tsx'

export interface OpenLinkDeps {
  readonly authorizations: Pick<Authorizations, 'find'>
  readonly providers: Providers
  readonly limitAnonymous: (c: RouteContext) => FailureResult | undefined
  readonly sessions?: Pick<Sessions, 'findSession'> | undefined
  readonly requiresSignIn: boolean
  /** Whose key made a call. Given where people sign in with keys, by which they can approve calls and nothing else. */
  readonly findCaller?: ((principal: string) => Promise<Principal | undefined>) | undefined
  /** By its whole id; undefined where it cannot be found any more. */
  readonly findTool: (id: string, background: WaitUntil) => Promise<KnownTool | undefined>
}

export function createOpenLink(deps: OpenLinkDeps) {
  const { authorizations, providers, limitAnonymous, sessions, requiresSignIn, findCaller, findTool } = deps

  async function findPerson(
    c: RouteContext,
    authorization: Authorization,
  ): Promise<Result<SignedInPerson | undefined>> {
    // A key says nobody's name, which consent would need
    if (findCaller && authorization.kind !== 'approval') return ok(undefined)
    const signedIn = await sessions?.findSession(c.req.raw, () => limitAnonymous(c))
    if (!signedIn || (!signedIn.ok && signedIn.failure.type === 'unauthenticated')) return ok(undefined)
    if (!signedIn.ok) return signedIn
    const { principal, session } = signedIn.value
    const name = parseToolId(authorization.tool)
    if (session.authenticatedBy.kind === 'key') {
      if (!findCaller) return ok(undefined)
      const approves = name !== undefined && (await mayApproveOthersCall(authorization, principal, name, findCaller))
      return ok({ principal: principal.id, name: principal.name, approves })
    }
    const approves = name !== undefined && mayApprove(principal, name)
    return ok({ user: session.authenticatedBy.person.user, principal: principal.id, approves })
  }

  return async (c: RouteContext) => {
    const id = pathSegment(c.req.raw.url, 2)
    if (!id.ok) return failurePage(id.failure)
    const { userlessPage, otherPersonPage, signInPage, unknownPage } = await import('./pages.tsx')
    const authorization = await authorizations.find(id.value)
    if (!authorization) {
      const provider = await providers.find(id.value)
      return provider ? userlessPage(provider.name) : unknownPage(id.value)
    }
    const visitor = await findPerson(c, authorization)
    if (!visitor.ok) return failurePage(visitor.failure)
    const person = visitor.value
    const startUrl = startPath(id.value)
    const needsSession = requiresSignIn || (findCaller !== undefined && authorization.kind === 'approval')
    if (needsSession && !person) return signInPage(startUrl)
    if (needsSession && person && !mayDecide(authorization, person))
      return otherPersonPage(formatPersonName(person), startUrl, isOwnCall(authorization, person))
    const [provider, tool] = await Promise.all([
      providers.find(authorization.provider),
      findTool(authorization.tool, getBackground(c)),
    ])
    return { authorization, person, provider, tool, name: provider?.name ?? authorization.provider }
  }
}

async function mayApproveOthersCall(
  { status, invocation, userId }: Authorization,
  approver: Principal,
  tool: ToolName,
  findCaller: (principal: string) => Promise<Principal | undefined>,
): Promise<boolean> {
  // Then there is nothing left to decide, and nothing kept of the call
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
  return `/authorizations/${encodeURIComponent(id)}/start`
}
