import { mayApprove } from '../../core/access/principal.ts'
import { type Failing, ok, type Result } from '../../core/failure/failure.ts'
import type { Authorization, Authorizations, SignedInPerson } from '../../core/consent/authorization.ts'
import type { Providers } from '../../core/consent/provider.ts'
import { parseToolId } from '../../core/tool/tool-id.ts'
import type { RouteContext } from '../../http/route/gate.ts'
import { failurePage, type Page } from '../../http/page/page.ts'
import { pathSegment } from '../../http/request/path-segment.ts'
import type { Sessions } from '../../http/caller/sessions.ts'

export interface OpenLinkDeps {
  readonly authorizations: Pick<Authorizations, 'find'>
  readonly providers: Providers
  /** Holds strangers to a rate where pages need no credential: why a request is refused now, or undefined. */
  readonly shield: (c: RouteContext) => Failing | undefined
  /** Who is signed in, where people sign in with a provider. */
  readonly sessions?: Pick<Sessions, 'signedIn'> | undefined
  /** Whether only who is signed in gets to see what they are asked. */
  readonly requiresSignIn: boolean
}

/** What a link leads to, and who opened it, if that is known. */
export interface OpenedLink {
  readonly authorization: Authorization
  /** What its provider is called. */
  readonly name: string
  readonly person: SignedInPerson | undefined
}

/** Makes what opens the link of a request's path: gives what it leads to, or the page to show instead. */
export function createOpenLink({ authorizations, providers, shield, sessions, requiresSignIn }: OpenLinkDeps) {
  /** Who is signed in in the browser that asks, as an authorization's vault judges them; undefined where nobody is. */
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

  return async (c: RouteContext): Promise<Page | OpenedLink> => {
    const limited = shield(c)
    if (limited) return failurePage(limited.failure)
    const id = pathSegment(c.req.raw.url, 2)
    if (!id.ok) return failurePage(id.failure)
    // Most isolates never show them
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
    return { authorization, person, name: await nameOf(authorization.provider, providers) }
  }
}

/** Whether a person is asked by an authorization: its user, or who may approve in their place. */
function isFor({ kind, userId }: Authorization, { user, approves }: SignedInPerson): boolean {
  return (userId !== undefined && user === userId) || (kind === 'approval' && approves)
}

/** What a provider is called; its id where there is none any more. */
export async function nameOf(id: string, providers: Providers): Promise<string> {
  return (await providers.find(id))?.name ?? id
}

/** The page on which a person begins, as a path. */
export function startOf(id: string): string {
  return `/authorizations/${encodeURIComponent(id)}/start`
}
