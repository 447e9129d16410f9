import * as base64url from 'jose/base64url'
import {
  type FlowError,
  type FlowResult,
  type FlowStep,
  isOpen,
  NO_APPROVER_SETUP,
  type Visit,
} from '../../core/consent/authorization.ts'
import { toPersonId } from '../../core/access/session.ts'
import { missingScopes } from '../../core/consent/oauth-scopes.ts'
import type { ProviderResult } from '../../core/consent/provider.ts'
import { sha256 } from '../sealing/sha256.ts'
import { newState } from './authorization-id.ts'
import type { AuthorizationRows, StoredAuthorization } from './authorization-rows.ts'
import { browserFlows } from './browser-flows.ts'
import { type ConsentRows, toGrantUse } from './consent-rows.ts'
import { type Grants, NO_VAULT_KEYS, type VaultDeployment } from './grants.ts'
import { createPersonCheck, needsSignInFor } from './identification.ts'
import type { ProviderFailure } from '../../oauth-client/provider-failure.ts'
import { EXPIRED_LINK, OTHER_BROWSER, OWN_CALL, flowError } from './flow-errors.ts'

export interface ProviderCallback {
  readonly url: string
  readonly browser: string
  readonly state: string
}

export type Consent = ReturnType<typeof createConsent>

/**
 * One authorization in a user's vault: a grant at a provider, or an approval. Each browser's flow goes through stages. The
 * first three need USER_VERIFIER_URL, the last a provider. Each is found by a text, which is stored as SHA-256 (`secret`):
 *
 * | stage         | reached by                      | text    | who comes with the text, and to which function              |
 * | ------------- | ------------------------------- | ------- | ----------------------------------------------------------- |
 * | `verifying`   | `start`, `decide`               | `flow`  | the verifier, which tells who the person is: `confirm`      |
 * | `confirmed`   | `confirm`                       | `proof` | the browser, back from the verifier: `resume`               |
 * | `proven`      | `resume` of an approval         | `proof` | the same browser: `resume` again. The page asks: `decide`   |
 * | `at-provider` | `start` or `resume` of a grant  | `state` | the browser, back from the provider: `handleCallback`, once |
 *
 * The request to the provider has PKCE too (RFC 6749, section 4.1; RFC 7636). After each await the authorization is read
 * again: it may have ended. Tokens and consent are stored in one transaction; if fewer scopes were granted than requested, the
 * authorization fails. Only an identified person approves, except on a trial deployment.
 *
 * In each visit, `browser` is the hash of the browser's cookie: no other browser goes on with the flow.
 */
export function createConsent(
  { id: object, storage }: Pick<DurableObjectState, 'id' | 'storage'>,
  rows: AuthorizationRows,
  grants: Grants,
  consents: ConsentRows,
  deployment: VaultDeployment,
) {
  const { keyring, oauth, verifierUrl, hasOpenIdSignIn = false, isTrialUrl, now } = deployment
  const flows = browserFlows(storage.sql, now)
  const identifyPerson = createPersonCheck(deployment, flows)

  function findOpen(id: string): StoredAuthorization | undefined {
    const authorization = rows.find(id)
    return authorization && isOpen(authorization) ? authorization : undefined
  }

  /** The call's account, else the person's choice, else the only one there is. */
  function chooseAccount({ provider, account }: StoredAuthorization, chosenAccount: string | undefined): string {
    const [firstAccount = '', ...otherAccounts] =
      account === undefined && chosenAccount === undefined ? grants.accounts(provider) : []
    return account ?? chosenAccount ?? (otherAccounts.length === 0 ? firstAccount : '')
  }

  /**
   * Needs no provider where it has granted all already, if the person was confirmed or uses the browser that granted
   * it: a caller has the page's link too.
   */
  function reuseConsent(authorization: StoredAuthorization, visit: Visit, account: string): boolean {
    const use = toGrantUse(authorization, account)
    const grant = grants.findGrantLackingConsent(use)
    const isTheirs =
      verifierUrl !== undefined || hasOpenIdSignIn || isTrialUrl(visit.callback) || grant?.browser === visit.browser
    if (!grant || !isTheirs) return false
    storage.transactionSync(() => {
      consents.give(use)
      rows.end(authorization.id, 'completed')
    })
    return true
  }

  async function redirectToVerifier(id: string, { browser, callback, account = '' }: Visit): Promise<FlowStep> {
    const text = randomText()
    const secret = await sha256(text)
    if (!findOpen(id)) return EXPIRED_LINK
    const flow = { authorization: id, browser, secret, callback, provider: null, sealed: null, account }
    flows.put({ ...flow, stage: 'verifying' })
    rows.begin(id)
    const url = new URL(verifierUrl ?? callback)
    url.searchParams.set('authorization', id)
    url.searchParams.set('flow', text)
    return { ok: true, location: url.href }
  }

  async function redirectToProvider(
    id: string,
    visit: Visit,
    providerResult: ProviderResult | undefined,
  ): Promise<FlowStep> {
    const { browser, callback } = visit
    const authorization = findOpen(id)
    if (!authorization) return EXPIRED_LINK
    if (!providerResult?.ok) return toNoProvider(providerResult)
    const provider = providerResult.value
    if (keyring.isEmpty) return flowError('unavailable', NO_VAULT_KEYS)
    const account = chooseAccount(authorization, visit.account)
    // Its page says that it is completed
    if (reuseConsent(authorization, visit, account)) return toPage(id, callback)
    const [state, verifier] = [newState(object), randomText()]
    const { scopes } = authorization
    const request = await oauth.begin(provider, { scopes, callback, state, verifier })
    if (!request.ok) return flowError('unavailable', request.forOperator ?? request.message)
    const [secret, sealed] = await Promise.all([sha256(state), keyring.seal(verifier, flowBound(id))])
    if (!findOpen(id)) return EXPIRED_LINK
    const configuration = JSON.stringify(provider)
    const flow = { authorization: id, browser, secret, callback, provider: configuration, sealed, account }
    flows.put({ ...flow, stage: 'at-provider' })
    rows.begin(id)
    return { ok: true, location: request.url }
  }

  const buildPageUrl = (id: string, callback: string) => `${new URL(callback).origin}/authorizations/${id}`

  /** To the page of the authorization, which shows its status, or asks the person to decide. */
  const toPage = (id: string, callback: string): FlowStep => ({
    ok: true,
    location: `${buildPageUrl(id, callback)}/start`,
  })

  return {
    async start(id: string, visit: Visit, provider: ProviderResult | undefined): Promise<FlowStep> {
      const authorization = findOpen(id)
      if (!authorization) return EXPIRED_LINK
      const identity = identifyPerson(authorization, visit)
      if (identity.kind === 'denied') return identity.error
      if (identity.kind === 'needs-verification') {
        // Nobody should be confirmed at the verifier who could not go on from there
        if (authorization.kind === 'grant' && !provider?.ok) return toNoProvider(provider)
        return redirectToVerifier(id, visit)
      }
      if (authorization.kind === 'grant') return redirectToProvider(id, visit, provider)
      // An approval whose person is known already: the page asks for the decision
      return toPage(id, visit.callback)
    },

    async confirm(id: string, flowSecret: string, userId: string): Promise<FlowStep> {
      const proof = randomText()
      const [secret, proven] = await Promise.all([sha256(flowSecret), sha256(proof)])
      const authorization = findOpen(id)
      const flow = flows.findBySecret(secret)
      if (!authorization || flow?.authorization !== id || flow.stage !== 'verifying') return EXPIRED_LINK
      // Any person known to the verifier may approve a call that is for no user
      if (authorization.userId !== undefined && authorization.userId !== userId) {
        flows.remove(flow)
        return flowError('refused', 'The person is not the user this is for')
      }
      if (authorization.principal === toPersonId(userId)) {
        flows.remove(flow)
        return OWN_CALL
      }
      // An attacker may have lured the user to the verifier: only the browser that was there learns the proof
      flows.put({ ...flow, stage: 'confirmed', secret: proven })
      return { ok: true, location: `${buildPageUrl(id, flow.callback)}/resume?proof=${proof}` }
    },

    async resume(id: string, proof: string, visit: Visit, provider: ProviderResult | undefined): Promise<FlowStep> {
      const secret = await sha256(proof)
      const authorization = findOpen(id)
      if (!authorization) return EXPIRED_LINK
      const flow = flows.findBySecret(secret)
      if (flow?.authorization !== id || (flow.stage !== 'confirmed' && flow.stage !== 'proven'))
        return flowError('refused', 'Nobody has confirmed yet that you are the user')
      if (flow.browser !== visit.browser) return OTHER_BROWSER
      if (authorization.kind === 'grant') return redirectToProvider(id, { ...visit, account: flow.account }, provider)
      flows.put({ ...flow, stage: 'proven' })
      return toPage(id, flow.callback)
    },

    async findPendingAuthorization(state: string): Promise<StoredAuthorization | undefined> {
      const flow = flows.findBySecret(await sha256(state))
      return flow?.stage === 'at-provider' ? findOpen(flow.authorization) : undefined
    },

    async handleCallback(
      { url, browser, state }: ProviderCallback,
      providerResult: ProviderResult,
    ): Promise<FlowResult<StoredAuthorization>> {
      const flow = flows.findBySecret(await sha256(state))
      const id = flow?.authorization ?? ''
      const authorization = findOpen(id)
      if (!authorization || flow?.stage !== 'at-provider') return EXPIRED_LINK
      if (flow.browser !== browser) return OTHER_BROWSER
      // From here on this answer is used up, whatever happens
      flows.remove(flow)
      if (!providerResult.ok) return toNoProvider(providerResult)
      const provider = providerResult.value
      if (flow.provider !== JSON.stringify(provider))
        return flowError('unavailable', 'The settings of the provider were changed meanwhile. Open the link again')
      const verifier = await keyring.unseal(flow.sealed ?? '', flowBound(id))
      if (!verifier)
        return flowError('unavailable', 'The keys of this Switchboard were changed meanwhile. Open the link again')

      const { scopes: requestedScopes, tool, userId = '' } = authorization
      const request = { state, callback: flow.callback, verifier: verifier.text, scopes: requestedScopes }
      const exchangeResult = await oauth.exchange(provider, url, request)
      if (!exchangeResult.ok) return toExchangeFailure(id, exchangeResult)
      const { tokens } = exchangeResult
      const grantedScopes = tokens.scopes ?? requestedScopes
      const { account } = flow
      const place = { provider: provider.id, account, browser }
      const sealedTokens = await grants.seal(userId, place, tokens)
      if (!findOpen(id)) {
        // It ended meanwhile: the person refused in another window, say
        await oauth.revoke(provider, tokens)
        return EXPIRED_LINK
      }
      const lackingScopes = missingScopes(provider.id, grantedScopes, requestedScopes)
      const reason = `The person gave less access at '${provider.id}' than '${tool}' needs: ${lackingScopes.join(', ')} is missing`
      storage.transactionSync(() => {
        grants.store(place, tokens, grantedScopes, sealedTokens)
        const consented = requestedScopes.filter((scope) => !lackingScopes.includes(scope))
        consents.give({ ...toGrantUse(authorization, account), scopes: consented })
        if (lackingScopes.length === 0) rows.end(id, 'completed')
        else rows.end(id, 'failed', reason)
      })
      return lackingScopes.length === 0 ? toResult(id) : flowError('refused', reason)
    },

    /**
     * The first case that applies decides:
     *
     * | case                                                         | result                            |
     * | ------------------------------------------------------------ | --------------------------------- |
     * | the authorization has ended                                  | error: the link has expired       |
     * | the person may not decide (see `createPersonCheck`)          | error: why not                    |
     * | the person refuses, which the verifier need not confirm      | the authorization fails           |
     * | it is for a grant                                            | error: the provider grants access |
     * | nobody can be told from the caller here                      | error: what has to be set up      |
     * | the verifier has not confirmed yet who the person is         | redirect to the verifier          |
     * | otherwise                                                    | the call is approved              |
     */
    async decide(
      id: string,
      { approve, ...visit }: Visit & { readonly approve: boolean },
    ): Promise<FlowResult<StoredAuthorization> | FlowStep> {
      const authorization = findOpen(id)
      if (!authorization) return EXPIRED_LINK
      const identity = identifyPerson(authorization, visit)
      if (identity.kind === 'denied') return identity.error
      if (!approve) {
        rows.end(id, 'failed', 'The person refused')
        return toResult(id)
      }
      if (authorization.kind === 'grant') return flowError('refused', 'Access is given at the provider, not here')
      const identifiesPeople = verifierUrl !== undefined || needsSignInFor(deployment, authorization)
      if (!identifiesPeople && !isTrialUrl(visit.callback)) return flowError('refused', NO_APPROVER_SETUP)
      if (identity.kind === 'needs-verification') return redirectToVerifier(id, visit)
      rows.approve(id)
      return toResult(id)
    },
  }

  function toResult(id: string): FlowResult<StoredAuthorization> {
    const authorization = rows.find(id)
    return authorization ? { ok: true, authorization } : EXPIRED_LINK
  }

  function toExchangeFailure(
    id: string,
    { why, message, forOperator }: ProviderFailure,
  ): FlowResult<StoredAuthorization> {
    if ((why === 'denied' || why === 'client') && findOpen(id)) rows.end(id, 'failed', message, forOperator)
    return flowError(why === 'unavailable' ? 'unavailable' : 'refused', forOperator ?? message)
  }
}

/** For a person who wants to give access to a provider that the tool cannot use. */
function toNoProvider(providerResult: Extract<ProviderResult, { ok: false }> | undefined): FlowError {
  return flowError('unavailable', providerResult?.reason ?? 'This needs no provider')
}

function flowBound(id: string): string {
  return JSON.stringify(['flow', id])
}

/** 256 random bits in Base64url: enough for a PKCE verifier too (RFC 7636, section 4.1). */
function randomText(): string {
  return base64url.encode(crypto.getRandomValues(new Uint8Array(32)))
}
