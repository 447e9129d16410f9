import { mayApprove } from '../../core/access/principal.ts'
import { type Failing, ok, type Result } from '../../core/failure/failure.ts'
import type { Authorization, Authorizations, SignedInPerson } from '../../core/consent/authorization.ts'
import type { Provider, Providers } from '../../core/consent/provider.ts'
import { parseToolId } from '../../core/tool/tool-id.ts'
import type { RouteContext } from '../../http/route/gate.ts'
import { failurePage, type Page } from '../../http/page/page.ts'
import type { DeadEnd } from './pages.tsx'
import { pathSegment } from '../../http/request/path-segment.ts'
import type { Sessions } from '../../http/caller/sessions.ts'

export interface OpenLinkDeps {
  readonly authorizations: Pick<Authorizations, 'find'>
  readonly providers: Providers
  readonly shield: (c: RouteContext) => Failing | undefined
  readonly sessions?: Pick<Sessions, 'signedIn'> | undefined
  readonly requiresSignIn: boolean
}

export interface OpenedLink {
  readonly authorization: Authorization
  readonly name: string
  readonly provider: Provider | undefined
  readonly person: SignedInPerson | undefined
}

export function createOpenLink({ authorizations, providers, shield, sessions, requiresSignIn }: OpenLinkDeps) {
  async function personAt(c: RouteContext, { tool }: Authorization): Promise<Result<SignedInPerson | undefined>> {
    const signed = await sessions?.signedIn(c.req.raw, () => shield(c))
    if (!signed || (!signed.ok && signed.failure.type === 'unauthenticated')) return ok(undefined)
    if (!signed.ok) return signed
    const { principal, session } = signed.value
    if (!('person' in session.by)) return ok(undefined)
    const name = parseToolId(tool)
    const approves = name !== undefined && mayApprove(principal, name)
    return ok({ user: session.by.person.user, principal: principal.id, approves })
  }

  return async (c: RouteContext): Promise<Page | DeadEnd | OpenedLink> => {
    const limited = shield(c)
    if (limited) return failurePage(limited.failure)
    const id = pathSegment(c.req.raw.url, 2)
    if (!id.ok) return failurePage(id.failure)
    const { nobodyPage, otherPersonPage, signInPage, unknownPage } = await import('./pages.tsx')
    const authorization = await authorizations.find(id.value)
    if (!authorization) {
      const provider = await providers.find(id.value)
      return provider ? nobodyPage(provider.name) : unknownPage(id.value)
    }
    const found = await personAt(c, authorization)
    if (!found.ok) return failurePage(found.failure)
    const person = found.value
    const start = startOf(id.value)
    if (requiresSignIn && !person) return signInPage(start)
    if (requiresSignIn && person && !isFor(authorization, person)) return otherPersonPage(person.user, start)
    const provider = await providers.find(authorization.provider)
    return { authorization, person, provider, name: provider?.name ?? authorization.provider }
  }
}

function isFor({ kind, userId }: Authorization, { user, approves }: SignedInPerson): boolean {
  return (userId !== undefined && user === userId) || (kind === 'approval' && approves)
}

export async function nameOf(id: string, providers: Providers): Promise<string> {
  return (await providers.find(id))?.name ?? id
}

export function startOf(id: string): string {
  return `/authorizations/${encodeURIComponent(id)}/start`
}
