import * as base64url from 'jose/base64url'
import { toPersonId } from '../../core/access/session.ts'
import {
  authorizationPath,
  type CredentialEntry,
  type FlowResult,
  type FlowStep,
  isOpen,
  needsSignIn,
  NO_APPROVER_SETUP,
} from '../../core/consent/authorization.ts'
import type { CredentialProvider } from '../../core/consent/credential-provider.ts'
import { missingScopes } from '../../core/consent/oauth-scopes.ts'
import type { ProviderResult } from '../../core/consent/provider.ts'
import type { Tokens } from '../../oauth-client/oauth.ts'
import type { ProviderFailure } from '../../oauth-client/provider-failure.ts'
import { sha256 } from '../sealing/sha256.ts'
import { newState } from '../sealing/addressed-id.ts'
import type { AuthorizationRows, StoredAuthorization } from './authorization-rows.ts'
import { browserFlows, type VaultVisit } from './browser-flows.ts'
import { type ConsentRows, toGrantUse } from './consent-rows.ts'
import { EXPIRED_LINK, OTHER_BROWSER, OWN_CALL, PROVIDER_CHANGED, flowError } from './flow-errors.ts'
import type { GrantPlace } from './grant-rows.ts'
import { type Grants, UNNAMED_ACCOUNT, type VaultDeployment } from './grants.ts'
import { createPersonCheck } from './identification.ts'
import { findCredentialProblem } from './credential-entry.ts'
import { sealGrant } from './token-refresh.ts'

/** Per hour and provider. Otherwise, the check would tell anyone with links which of many keys is right. */
const MAX_ATTEMPTS = 20

export interface ProviderCallback {
  readonly url: string
  readonly browserHash: string
  readonly state: string
}

export type AuthorizationFlow = ReturnType<typeof createAuthorizationFlow>

/**
 * Leads people through the authorizations of a user's vault: grants at a provider, and approvals. The flow of each browser
 * goes through stages. The first three need USER_VERIFIER_URL, the last a provider. The browser or the verifier presents a
 * text, which identifies the flow and is stored as SHA-256 (`secret`). `start` and `decide` find a proven flow by the
 * browser's cookie:
 *
 * | stage         | reached by                     | text    | who presents the text, and to which function              |
 * | ------------- | ------------------------------ | ------- | --------------------------------------------------------- |
 * | `verifying`   | `start`, `decide`              | `flow`  | the verifier, which identifies the person: `confirm`      |
 * | `confirmed`   | `confirm`                      | `proof` | the browser, back from the verifier: `resume`             |
 * | `proven`      | `resume`, if the page asks     | `proof` | the same browser: `resume` again, `decide` or `enter`     |
 * | `at-provider` | `start` or `resume` of a grant | `state` | the browser, back from the provider: `finish`, once       |
 *
 * The request to the provider also uses PKCE (RFC 6749, section 4.1; RFC 7636). An authorization may end during an await, so
 * it is read again before anything is stored. Tokens and consent are stored in one transaction; if fewer scopes were granted
 * than requested, the authorization fails. Only an identified person can approve, except on a trial deployment.
 */
export function createAuthorizationFlow(
  { id: object, storage }: Pick<DurableObjectState, 'id' | 'storage'>,
  rows: AuthorizationRows,
  grants: Grants,
  consents: ConsentRows,
  deployment: VaultDeployment,
) {
  const { keyring, oauth, verifierUrl, signInMethod, isTrialUrl, now } = deployment
  const flows = browserFlows(storage.sql, now)
  const identifyPerson = createPersonCheck(deployment, flows)

  function findOpen(id: string): StoredAuthorization | undefined {
    const authorization = rows.find(id)
    return authorization && isOpen(authorization) ? authorization : undefined
  }

  /**
   * Consents without the provider if it has already granted all scopes. The person must be identified, use the browser that
   * granted the scopes, or use a trial deployment, because the caller also has the page's link.
   */
  function consentToExistingGrant(authorization: StoredAuthorization, visit: VaultVisit, account: string): boolean {
    const use = toGrantUse(authorization, account)
    const grant = grants.findGrantLackingConsent(use)
    const isIdentified = verifierUrl !== undefined || signInMethod === 'openid' || isTrialUrl(visit.callback)
    if (!grant || !(isIdentified || grant.browser === visit.browserHash)) return false
    storage.transactionSync(() => {
      consents.give(use)
      rows.end(authorization.id, 'completed')
    })
    return true
  }

  /** Checks what a person entered and stores it as a grant, with consent. */
  async function storeCredential(
    authorization: StoredAuthorization,
    visit: VaultVisit & { readonly entry: CredentialEntry },
    provider: CredentialProvider,
  ): Promise<FlowResult<StoredAuthorization>> {
    const { id, userId = '' } = authorization
    if (visit.entry.checkUrl !== (provider.check?.url ?? '')) return PROVIDER_CHANGED
    const problem = await findCredentialProblem(provider, visit.entry.values)
    if (problem !== undefined) return flowError('refused', `${problem}. Nothing was stored`)
    if (rows.countAttempt(id, provider.id) > MAX_ATTEMPTS) {
      rows.end(id, 'failed', `The person entered what '${provider.id}' does not accept too often`)
      return EXPIRED_LINK
    }
    const check = await deployment.checkCredential(provider, visit.entry.values)
    if (!check.ok) return flowError(check.why, `${check.message}. Nothing was stored`)
    const account =
      authorization.account ?? visit.account ?? check.account ?? grants.findOnlyAccount(provider.id) ?? UNNAMED_ACCOUNT
    const place = { provider: provider.id, account, browser: visit.browserHash }
    const { kind } = provider
    const values = Object.fromEntries(provider.fields.map(({ name }) => [name, visit.entry.values[name] ?? '']))
    const sealedGrant = await sealGrant(keyring, userId, place, { kind, values, checkUrl: visit.entry.checkUrl })
    if (!findOpen(id)) return EXPIRED_LINK
    const result = storeGrant(authorization, place, { access_token: '', scopes: authorization.scopes }, sealedGrant)
    return result.ok ? { ...result, answeredAs: check.account } : result
  }

  /** Stores a grant and ends its authorization, which fails if the person gave less access than the tool needs. */
  function storeGrant(
    authorization: StoredAuthorization,
    place: GrantPlace,
    tokens: Tokens,
    sealedTokens: string,
  ): FlowResult<StoredAuthorization> {
    const { id, tool, scopes: requestedScopes } = authorization
    const grantedScopes = tokens.scopes ?? requestedScopes
    const lackingScopes = missingScopes(place.provider, grantedScopes, requestedScopes)
    const reason = `The person gave less access at '${place.provider}' than '${tool}' needs: ${lackingScopes.join(', ')} is missing`
    storage.transactionSync(() => {
      grants.store(place, tokens, grantedScopes, sealedTokens)
      const consented = requestedScopes.filter((scope) => !lackingScopes.includes(scope))
      consents.give({ ...toGrantUse(authorization, place.account), scopes: consented })
      if (lackingScopes.length === 0) rows.end(id, 'completed')
      else rows.end(id, 'failed', reason)
    })
    return lackingScopes.length === 0 ? toResult(id) : flowError('refused', reason)
  }

  async function redirectToVerifier(id: string, visit: VaultVisit, verifier: string): Promise<FlowStep> {
    const { browserHash: browser, callback, account = UNNAMED_ACCOUNT } = visit
    const text = randomText()
    const secret = await sha256(text)
    if (!findOpen(id)) return EXPIRED_LINK
    const flow = { authorization: id, browser, secret, callback, provider: null, sealed: null, account }
    flows.put({ ...flow, stage: 'verifying' })
    rows.begin(id)
    const url = new URL(verifier)
    url.searchParams.set('authorization', id)
    url.searchParams.set('flow', text)
    return { ok: true, location: url.href }
  }

  async function redirectToProvider(id: string, visit: VaultVisit, providerResult: ProviderResult): Promise<FlowStep> {
    const { browserHash: browser, callback } = visit
    const authorization = findOpen(id)
    if (!authorization) return EXPIRED_LINK
    if (!providerResult.ok) return flowError('unavailable', providerResult.reason)
    const provider = providerResult.value
    // The call's account, else the person's choice, else the only one there is
    const account = authorization.account ?? visit.account ?? grants.findOnlyAccount(provider.id) ?? UNNAMED_ACCOUNT
    // The page shows that it is completed
    if (consentToExistingGrant(authorization, visit, account)) return redirectToPage(id, callback)
    // The page asks for the credential
    if (provider.kind !== undefined) return redirectToPage(id, callback, '/start?confirmed=yes')
    const [state, verifier] = [newState(object), randomText()]
    const { scopes } = authorization
    const request = await oauth.begin(provider, { scopes, callback, state, verifier })
    if (!request.ok) return flowError('unavailable', request.forOperator ?? request.message)
    const [secret, sealed] = await Promise.all([sha256(state), keyring.seal(verifier, toFlowAad(id))])
    if (!findOpen(id)) return EXPIRED_LINK
    const configuration = JSON.stringify(provider)
    const flow = { authorization: id, browser, secret, callback, provider: configuration, sealed, account }
    flows.put({ ...flow, stage: 'at-provider' })
    rows.begin(id)
    return { ok: true, location: request.url }
  }

  return {
    async start(id: string, visit: VaultVisit, provider: ProviderResult): Promise<FlowStep> {
      const authorization = findOpen(id)
      if (!authorization) return EXPIRED_LINK
      const identity = identifyPerson(authorization, visit)
      if (identity.kind === 'denied') return identity.error
      if (identity.kind === 'needs-verification') {
        // Do not send a person to the verifier who could not continue afterwards
        if (authorization.kind === 'grant' && !provider.ok) return flowError('unavailable', provider.reason)
        return redirectToVerifier(id, visit, identity.verifierUrl)
      }
      if (authorization.kind === 'grant') return redirectToProvider(id, visit, provider)
      // The person is already identified, so the page asks for the decision
      return redirectToPage(id, visit.callback)
    },

    /** Stores the entry only if the person is already identified. If the verifier must do so first, the entry is dropped. */
    async enter(
      id: string,
      visit: VaultVisit & { readonly entry: CredentialEntry },
      provider: ProviderResult,
    ): Promise<FlowResult<StoredAuthorization> | FlowStep> {
      const authorization = findOpen(id)
      if (authorization?.kind !== 'grant') return EXPIRED_LINK
      const identity = identifyPerson(authorization, visit)
      if (identity.kind === 'denied') return identity.error
      if (!provider.ok) return flowError('unavailable', provider.reason)
      if (identity.kind === 'needs-verification') return redirectToVerifier(id, visit, identity.verifierUrl)
      if (provider.value.kind === undefined) return PROVIDER_CHANGED
      return storeCredential(authorization, visit, provider.value)
    },

    async confirm(id: string, flowSecret: string, userId: string): Promise<FlowStep> {
      const proof = randomText()
      const [secret, proven] = await Promise.all([sha256(flowSecret), sha256(proof)])
      const authorization = findOpen(id)
      const flow = flows.findBySecret(secret)
      if (!authorization || flow?.authorization !== id || flow.stage !== 'verifying') return EXPIRED_LINK
      // Any person known to the verifier may approve a call without a user
      const isUser = authorization.userId === undefined || authorization.userId === userId
      const isCaller = authorization.principal === toPersonId(userId)
      if (!isUser || isCaller) {
        flows.remove(flow)
        return isUser ? OWN_CALL : flowError('refused', 'The person is not the user this is for')
      }
      // An attacker may have lured the user to the verifier, so only the browser that was there gets the proof
      flows.put({ ...flow, stage: 'confirmed', secret: proven })
      return redirectToPage(id, flow.callback, `/resume?proof=${proof}`)
    },

    async resume(
      id: string,
      { proof, ...visit }: VaultVisit & { readonly proof: string },
      provider: ProviderResult,
    ): Promise<FlowStep> {
      const secret = await sha256(proof)
      const authorization = findOpen(id)
      if (!authorization) return EXPIRED_LINK
      const flow = flows.findBySecret(secret)
      if (flow?.authorization !== id || (flow.stage !== 'confirmed' && flow.stage !== 'proven'))
        return flowError('refused', 'Nobody has confirmed yet that you are the user')
      if (flow.browser !== visit.browserHash) return OTHER_BROWSER
      const isEntered = provider.ok && provider.value.kind !== undefined
      if (authorization.kind === 'grant' && !isEntered)
        return redirectToProvider(id, { ...visit, account: flow.account }, provider)
      flows.put({ ...flow, stage: 'proven' })
      return redirectToPage(id, flow.callback, isEntered ? '/start?confirmed=yes' : '/start')
    },

    async findPendingAuthorization(state: string): Promise<StoredAuthorization | undefined> {
      const flow = flows.findBySecret(await sha256(state))
      return flow?.stage === 'at-provider' ? findOpen(flow.authorization) : undefined
    },

    async finish(
      { url, browserHash, state }: ProviderCallback,
      providerResult: ProviderResult,
    ): Promise<FlowResult<StoredAuthorization>> {
      const flow = flows.findBySecret(await sha256(state))
      const id = flow?.authorization ?? ''
      const authorization = findOpen(id)
      if (authorization?.userId === undefined || flow?.stage !== 'at-provider') return EXPIRED_LINK
      if (flow.browser !== browserHash) return OTHER_BROWSER
      // From here on, this response cannot be used again, even after a failure
      flows.remove(flow)
      if (!providerResult.ok) return flowError('unavailable', providerResult.reason)
      const provider = providerResult.value
      if (provider.kind !== undefined || flow.provider !== JSON.stringify(provider)) return PROVIDER_CHANGED
      const verifier = await keyring.unseal(flow.sealed ?? '', toFlowAad(id))
      if (!verifier)
        return flowError('unavailable', 'The keys of this Switchboard were changed meanwhile. Open the link again')

      const request = { state, callback: flow.callback, verifier: verifier.text, scopes: authorization.scopes }
      const exchangeResult = await oauth.exchange(provider, url, request)
      if (!exchangeResult.ok) return toExchangeFailure(id, exchangeResult)
      const { tokens } = exchangeResult
      const place = { provider: provider.id, account: flow.account, browser: browserHash }
      const sealedTokens = await sealGrant(keyring, authorization.userId, place, tokens)
      if (findOpen(id)) return storeGrant(authorization, place, tokens, sealedTokens)
      // It ended meanwhile, for example because the person refused in another window
      await oauth.revoke(provider, tokens)
      return EXPIRED_LINK
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
     * | a person cannot be told from the caller here                 | error: what must be set up        |
     * | the verifier has not confirmed yet who the person is         | redirect to the verifier          |
     * | otherwise                                                    | the call is approved              |
     */
    async decide(
      id: string,
      { approve, ...visit }: VaultVisit & { readonly approve: boolean },
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
      const identifiesPeople = verifierUrl !== undefined || needsSignIn(signInMethod, authorization.kind)
      if (!identifiesPeople && !isTrialUrl(visit.callback)) return flowError('refused', NO_APPROVER_SETUP)
      if (identity.kind === 'needs-verification') return redirectToVerifier(id, visit, identity.verifierUrl)
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

/** Redirects to a page of the authorization, by default the one that shows its status or asks the person to decide. */
function redirectToPage(id: string, callback: string, page = '/start'): FlowStep {
  return { ok: true, location: `${new URL(callback).origin}${authorizationPath(id)}${page}` }
}

function toFlowAad(id: string): string {
  return JSON.stringify(['flow', id])
}

/** Returns 256 random bits in Base64url, which is also enough for a PKCE verifier (RFC 7636, section 4.1). */
function randomText(): string {
  return base64url.encode(crypto.getRandomValues(new Uint8Array(32)))
}
