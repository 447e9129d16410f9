import * as base64url from 'jose/base64url'
import { type Ended, NOBODY_IDENTIFIED, type Step, type Visit } from '../../core/consent/authorization.ts'
import { missingScopes } from '../../core/consent/oauth-scopes.ts'
import type { Provider } from '../../core/consent/provider.ts'
import { sha256 } from '../sealing/sha256.ts'
import { newState } from './authorization-id.ts'
import { type AuthorizationRows, isOpen, type StoredAuthorization } from './authorization-rows.ts'
import { browserFlows } from './browser-flows.ts'
import { type ConsentRows, useOf } from './consent-rows.ts'
import { type Grants, NO_KEYS, type VaultDeployment } from './grants.ts'
import { createIdentification, signsInFor } from './identification.ts'
import type { ProviderFailure } from '../../oauth-client/provider-failure.ts'
import { GONE, OTHER_BROWSER, stopped } from './stopped.ts'

export interface Return {
  readonly url: string
  readonly browser: string
  readonly state: string
}

export type Consent = ReturnType<typeof createConsent>

/** `browser` is the hash of the browser's cookie; `provider` may be why there is none, in words for the person. */
export function createConsent(
  { id: object, storage }: Pick<DurableObjectState, 'id' | 'storage'>,
  rows: AuthorizationRows,
  grants: Grants,
  consents: ConsentRows,
  deployment: VaultDeployment,
) {
  const { keyring, oauth, verifierUrl, signsIn = false, isTrial, now } = deployment
  const flows = browserFlows(storage.sql, now)
  const identified = createIdentification(deployment, flows)

  function openOne(id: string): StoredAuthorization | undefined {
    const found = rows.find(id)
    return found && isOpen(found) ? found : undefined
  }

  /** The call's account, else the person's choice, else the only one there is. */
  function accountOf({ provider, account }: StoredAuthorization, chosen: string | undefined): string {
    const [only = '', ...others] = account === undefined && chosen === undefined ? grants.accounts(provider) : []
    return account ?? chosen ?? (others.length === 0 ? only : '')
  }

  /**
   * Needs no provider where it has granted all already, if the person was confirmed or uses the browser that granted
   * it: a caller has the page's link too.
   */
  function takeWord(authorization: StoredAuthorization, visit: Visit, account: string): boolean {
    const use = useOf(authorization, account)
    const grant = grants.lackingConsent(use)
    const isTheirs = verifierUrl !== undefined || signsIn || isTrial(visit.callback) || grant?.browser === visit.browser
    if (!grant || !isTheirs) return false
    storage.transactionSync(() => {
      consents.give(use)
      rows.end(authorization.id, 'completed')
    })
    return true
  }

  async function toVerifier(id: string, { browser, callback, account = '' }: Visit): Promise<Step> {
    const text = randomText()
    const secret = await sha256(text)
    if (!openOne(id)) return GONE
    const flow = { authorization: id, browser, secret, callback, provider: null, sealed: null, account }
    flows.put({ ...flow, stage: 'verifying' })
    rows.begin(id)
    const url = new URL(verifierUrl ?? callback)
    url.searchParams.set('authorization', id)
    url.searchParams.set('flow', text)
    return { ok: true, location: url.href }
  }

  async function toProvider(id: string, visit: Visit, provider: Provider | string): Promise<Step> {
    const { browser, callback } = visit
    const authorization = openOne(id)
    if (!authorization) return GONE
    if (typeof provider === 'string') return stopped('unavailable', provider)
    if (keyring.isEmpty) return stopped('unavailable', NO_KEYS)
    const account = accountOf(authorization, visit.account)
    if (takeWord(authorization, visit, account)) return { ok: true, location: `${pageOf(id, callback)}/start` }
    const [state, verifier] = [newState(object), randomText()]
    const { scopes } = authorization
    const begun = await oauth.begin(provider, { scopes, callback, state, verifier })
    if (!begun.ok) return stopped('unavailable', begun.forOperator ?? begun.message)
    const [secret, sealed] = await Promise.all([sha256(state), keyring.seal(verifier, flowBound(id))])
    if (!openOne(id)) return GONE
    const configuration = JSON.stringify(provider)
    const flow = { authorization: id, browser, secret, callback, provider: configuration, sealed, account }
    flows.put({ ...flow, stage: 'at-provider' })
    rows.begin(id)
    return { ok: true, location: begun.url }
  }

  const pageOf = (id: string, callback: string) => `${new URL(callback).origin}/authorizations/${id}`

  return {
    async start(id: string, visit: Visit, provider: Provider | string): Promise<Step> {
      const authorization = openOne(id)
      if (!authorization) return GONE
      const known = identified(authorization, visit)
      if (typeof known !== 'string') return known
      if (known === 'ask') {
        // Nobody should be confirmed at the verifier who could not go on from there
        if (typeof provider === 'string' && authorization.kind === 'grant') return stopped('unavailable', provider)
        return toVerifier(id, visit)
      }
      if (authorization.kind === 'grant') return toProvider(id, visit, provider)
      return { ok: true, location: `${pageOf(id, visit.callback)}/start` }
    },

    async confirm(id: string, flow: string, userId: string): Promise<Step> {
      const proof = randomText()
      const [secret, proven] = await Promise.all([sha256(flow), sha256(proof)])
      const authorization = openOne(id)
      const found = flows.findBySecret(secret)
      if (!authorization || found?.authorization !== id || found.stage !== 'verifying') return GONE
      // Any person known to the verifier may approve a call that is for no user
      if (authorization.userId !== undefined && authorization.userId !== userId) {
        flows.remove(found)
        return stopped('refused', 'The person is not the user this is for')
      }
      // An attacker may have lured the user to the verifier: only the browser that was there learns the proof
      flows.put({ ...found, stage: 'confirmed', secret: proven })
      return { ok: true, location: `${pageOf(id, found.callback)}/resume?proof=${proof}` }
    },

    async resume(id: string, proof: string, visit: Visit, provider: Provider | string): Promise<Step> {
      const secret = await sha256(proof)
      const authorization = openOne(id)
      if (!authorization) return GONE
      const flow = flows.findBySecret(secret)
      if (flow?.authorization !== id || (flow.stage !== 'confirmed' && flow.stage !== 'proven'))
        return stopped('refused', 'Nobody has confirmed yet that you are the user')
      if (flow.browser !== visit.browser) return OTHER_BROWSER
      if (authorization.kind === 'grant') return toProvider(id, { ...visit, account: flow.account }, provider)
      flows.put({ ...flow, stage: 'proven' })
      return { ok: true, location: `${pageOf(id, flow.callback)}/start` }
    },

    async returning(state: string): Promise<StoredAuthorization | undefined> {
      const flow = flows.findBySecret(await sha256(state))
      return flow?.stage === 'at-provider' ? openOne(flow.authorization) : undefined
    },

    async finish({ url, browser, state }: Return, provider: Provider | string): Promise<Ended<StoredAuthorization>> {
      const flow = flows.findBySecret(await sha256(state))
      const id = flow?.authorization ?? ''
      const authorization = openOne(id)
      if (!authorization || flow?.stage !== 'at-provider') return GONE
      if (flow.browser !== browser) return OTHER_BROWSER
      // From here on this answer is used up, whatever happens
      flows.remove(flow)
      if (typeof provider === 'string') return stopped('unavailable', provider)
      if (flow.provider !== JSON.stringify(provider))
        return stopped('unavailable', 'The settings of the provider were changed meanwhile. Open the link again')
      const verifier = await keyring.open(flow.sealed ?? '', flowBound(id))
      if (!verifier)
        return stopped('unavailable', 'The keys of this Switchboard were changed meanwhile. Open the link again')

      const { scopes: asked, tool, userId = '' } = authorization
      const request = { state, callback: flow.callback, verifier: verifier.text, scopes: asked }
      const issued = await oauth.exchange(provider, url, request)
      if (!issued.ok) return notIssued(id, issued)
      const { tokens } = issued
      const granted = tokens.scopes ?? asked
      const { account } = flow
      const place = { provider: provider.id, account, browser }
      const sealed = await grants.seal(userId, place, tokens)
      if (!openOne(id)) {
        // It ended meanwhile: the person refused in another window, say
        await oauth.revoke(provider, tokens)
        return GONE
      }
      const missing = missingScopes(provider.id, granted, asked)
      const reason = `The person gave less access at '${provider.id}' than '${tool}' needs: ${missing.join(', ')} is missing`
      storage.transactionSync(() => {
        grants.store(place, tokens, granted, sealed)
        const given = asked.filter((scope) => !missing.includes(scope))
        consents.give({ ...useOf(authorization, account), scopes: given })
        if (missing.length === 0) rows.end(id, 'completed')
        else rows.end(id, 'failed', reason)
      })
      return missing.length === 0 ? ended(id) : stopped('refused', reason)
    },

    async decide(
      id: string,
      { approve, ...visit }: Visit & { readonly approve: boolean },
    ): Promise<Ended<StoredAuthorization> | Step> {
      const authorization = openOne(id)
      if (!authorization) return GONE
      const known = identified(authorization, visit)
      const hasSignIn = signsInFor(deployment, authorization)
      if (hasSignIn && verifierUrl === undefined && typeof known !== 'string') return known
      if (!approve) {
        rows.end(id, 'failed', 'The person refused')
        return ended(id)
      }
      if (authorization.kind !== 'approval') return stopped('refused', 'Access is given at the provider, not here')
      if (verifierUrl === undefined && !hasSignIn && !isTrial(visit.callback))
        return stopped('refused', NOBODY_IDENTIFIED)
      if (typeof known !== 'string') return known
      if (known === 'ask') return toVerifier(id, visit)
      rows.approve(id)
      return ended(id)
    },
  }

  function ended(id: string): Ended<StoredAuthorization> {
    const authorization = rows.find(id)
    return authorization ? { ok: true, authorization } : GONE
  }

  function notIssued(id: string, { why, message, forOperator }: ProviderFailure): Ended<StoredAuthorization> {
    if ((why === 'denied' || why === 'client') && openOne(id)) rows.end(id, 'failed', message, forOperator)
    return stopped(why === 'unavailable' ? 'unavailable' : 'refused', forOperator ?? message)
  }
}

function flowBound(id: string): string {
  return JSON.stringify(['flow', id])
}

/** 256 random bits in Base64url: enough for a PKCE verifier too (RFC 7636, section 4.1). */
function randomText(): string {
  return base64url.encode(crypto.getRandomValues(new Uint8Array(32)))
}
