import { DurableObject } from 'cloudflare:workers'
import {
  APPROVAL,
  type CredentialEntry,
  type FlowResult,
  type FlowStep,
  type GrantRevocation,
  isOpen,
  SIGN_IN,
} from '../../core/consent/authorization.ts'
import type { StoredConnection } from '../../core/consent/connection.ts'
import type { Tokens } from '../../oauth-client/oauth.ts'
import type { Provider, ProviderResult } from '../../core/consent/provider.ts'
import { HOUR_MS } from '../../core/tool/time.ts'
import { formatNotSetUp } from '../../core/failure/failure-text.ts'
import { createSetAlarm } from '../alarm.ts'
import { hasTables } from '../schema.ts'
import type { AuthorizationFlow, ProviderCallback } from './authorization-flow.ts'
import { newAddressedId } from '../sealing/addressed-id.ts'
import {
  type AuthorizationRows,
  authorizationRows,
  type NewAuthorization,
  type StoredAuthorization,
} from './authorization-rows.ts'
import type { VaultVisit } from './browser-flows.ts'
import { consentRows, toGrantUse } from './consent-rows.ts'
import { type GrantRows, grantRows } from './grant-rows.ts'
import {
  createGrants,
  type GrantRefusal,
  type Grants,
  notGranted,
  type TokenRequest,
  type TokenRequestResult,
  type VaultDeployment,
} from './grants.ts'
import { sealGrant } from './token-refresh.ts'
import { openInvocation, sealInvocation } from './sealed-invocation.ts'
import { checkTables, isEmpty, openFor } from './tables.ts'

interface RefusalWithAuthorization extends GrantRefusal {
  /** Absent if a preview finds no open authorization. */
  readonly authorization?: Pick<StoredAuthorization, 'id' | 'scopes' | 'status'>
}

type VaultTokenResult = Exclude<TokenRequestResult, { scopes: unknown }> | RefusalWithAuthorization

interface EnsureAuthorizationOptions {
  readonly owner: string
  readonly newId: string
  readonly newAuthorization: NewAuthorization
  readonly refusal: GrantRefusal
  readonly chargedTo: string
}

interface CallTokenRequest extends Omit<TokenRequest, 'provider'>, Pick<NewAuthorization, 'requestedBy'> {
  readonly chargedTo: string
  readonly providerId: string
  readonly provider: ProviderResult
}

interface ApprovalRequest extends Omit<NewAuthorization, 'kind' | 'provider' | 'scopes' | 'hosts'> {
  readonly invocation: string
  readonly reason: string
  readonly chargedTo: string
}

/** Stores the grants of one user, and the authorizations that wait for the user. Failures are results, not errors. */
export function defineVault<E>(deploy: (env: E) => VaultDeployment) {
  let deployment: VaultDeployment | undefined

  return class Vault extends DurableObject<E> {
    readonly #deployment: VaultDeployment
    readonly #rows: AuthorizationRows
    #authorizationFlow: AuthorizationFlow | undefined
    readonly #grantRows: GrantRows
    readonly #grants: Grants
    readonly #consents: ReturnType<typeof consentRows>
    readonly #setAlarm = createSetAlarm(this.ctx.storage)

    constructor(state: DurableObjectState, env: E) {
      super(state, env)
      this.#deployment = deployment ??= deploy(env)
      const { now } = this.#deployment
      const { sql } = state.storage
      // Reads create no tables in an unused vault, or made-up user ids would fill the disk
      checkTables(sql)
      this.#rows = authorizationRows(sql, now)
      this.#consents = consentRows(sql, now)
      this.#grantRows = grantRows(sql, now)
      this.#grants = createGrants(this.#grantRows, this.#consents, this.#deployment)
    }

    async issue(owner: string, request: CallTokenRequest): Promise<VaultTokenResult> {
      openFor(this.ctx.storage.sql, owner)
      const result = await this.#tokenFor(request, this.#grants.token)
      if (!('scopes' in result)) return result
      const { scopes, account, ...reasons } = result
      const lastFailure = reasons.needsSetup ? {} : withFailure(reasons, this.#rows.lastFailureAt(request.providerId))
      const refusal = { ...reasons, ...lastFailure }
      const newAuthorization = toNewAuthorization(request, scopes, account)
      const newId = newAddressedId(this.ctx.id)
      return this.#ensureAuthorization({ owner, newId, newAuthorization, refusal, chargedTo: request.chargedTo })
    }

    /** Predicts `issue`. Finds an open authorization, but creates none. */
    async preview(owner: string, request: CallTokenRequest): Promise<VaultTokenResult> {
      const { sql } = this.ctx.storage
      // A vault without tables has no grant, and a preview creates no tables
      const isUnused = !hasTables(sql)
      if (!isUnused) openFor(sql, owner)
      const result = await this.#tokenFor(request, isUnused ? refuseUngranted : this.#grants.look, true)
      if (!('scopes' in result)) return result
      const { scopes, account, ...refusal } = result
      const authorization = this.#rows.findOpen(toNewAuthorization(request, scopes, account).purpose)
      return { ...(authorization ? { authorization } : {}), ...refusal }
    }

    /** If the provider cannot be used, the reason names what an administrator must do. */
    async #tokenFor(
      request: CallTokenRequest,
      getToken: (tokenRequest: TokenRequest) => TokenRequestResult | Promise<TokenRequestResult>,
      isPreview = false,
    ): Promise<TokenRequestResult> {
      const { provider, scopes } = request
      if (!provider.ok) return { scopes, ...toSetupRefusal(request, provider.reason) }
      const tokenRequest = { ...request, provider: provider.value }
      let result = await getToken(tokenRequest)
      if ('scopes' in result && provider.value.identity_assertion && hasTables(this.ctx.storage.sql)) {
        const { getTokenBySignIn } = await import('./asserted-grants.ts')
        const deps = { ...this.#deployment, rows: this.#grantRows, consents: this.#consents, grants: this.#grants }
        result = await getTokenBySignIn(deps, result, tokenRequest, isPreview)
      }
      if (!('scopes' in result)) return result
      const problem = this.#deployment.oauth.findMissingSecret(provider.value)
      return problem === undefined ? result : { scopes: result.scopes, ...toSetupRefusal(request, problem) }
    }

    async claim(owner: string, { reason, chargedTo, ...request }: ApprovalRequest) {
      const { purpose } = request
      const newId = newAddressedId(this.ctx.id)
      const invocation = await sealInvocation(this.#deployment.keyring, newId, request.invocation)
      openFor(this.ctx.storage.sql, owner)
      if (this.#rows.claim(purpose)) return 'approved' as const
      const approval = { kind: 'approval', provider: APPROVAL, scopes: [], hosts: [] } as const
      const newAuthorization = { ...request, ...approval, invocation }
      const refusal = withFailure({ reason }, this.#rows.lastFailureFor(purpose))
      return this.#ensureAuthorization({ owner, newId, newAuthorization, refusal, chargedTo })
    }

    async find(id: string): Promise<StoredAuthorization | undefined> {
      const authorization = this.#rows.find(id)
      return authorization && this.#withPrivateFields(authorization)
    }

    async start(id: string, visit: VaultVisit, provider: ProviderResult): Promise<FlowStep> {
      return (await this.#loadAuthorizationFlow()).start(id, visit, provider)
    }

    async resume(id: string, visit: VaultVisit & { proof: string }, provider: ProviderResult): Promise<FlowStep> {
      return (await this.#loadAuthorizationFlow()).resume(id, visit, provider)
    }

    async enter(
      id: string,
      visit: VaultVisit & { readonly entry: CredentialEntry },
      provider: ProviderResult,
    ): Promise<FlowResult<StoredAuthorization> | FlowStep> {
      return this.#afterStep(await (await this.#loadAuthorizationFlow()).enter(id, visit, provider))
    }

    async confirm(id: string, flow: string, userId: string): Promise<FlowStep> {
      return (await this.#loadAuthorizationFlow()).confirm(id, flow, userId)
    }

    async findPendingAuthorization(state: string): Promise<StoredAuthorization | undefined> {
      if (!hasTables(this.ctx.storage.sql)) return undefined
      return (await this.#loadAuthorizationFlow()).findPendingAuthorization(state)
    }

    async finish(callback: ProviderCallback, provider: ProviderResult): Promise<FlowResult<StoredAuthorization>> {
      return this.#afterStep(await (await this.#loadAuthorizationFlow()).finish(callback, provider))
    }

    async decide(
      id: string,
      visit: VaultVisit & { readonly approve: boolean },
    ): Promise<FlowResult<StoredAuthorization> | FlowStep> {
      return this.#afterStep(await (await this.#loadAuthorizationFlow()).decide(id, visit))
    }

    list(owner: string): StoredConnection[] {
      if (!hasTables(this.ctx.storage.sql)) return []
      openFor(this.ctx.storage.sql, owner)
      return this.#grants.list()
    }

    async checkConnection(owner: string, userId: string, provider: Provider, account: string) {
      const { checkConnection } = await import('./connection-check.ts')
      if (!hasTables(this.ctx.storage.sql)) return undefined
      openFor(this.ctx.storage.sql, owner)
      return checkConnection({ userId, provider, account }, this.#grants, this.#deployment)
    }

    /** Revokes a grant here, and at `provider` if the deployment still has that provider. */
    async revoke(
      owner: string,
      userId: string,
      providerId: string,
      { account, toolkit }: { readonly account?: string; readonly toolkit?: string },
      provider?: Provider,
    ): Promise<GrantRevocation[]> {
      if (!hasTables(this.ctx.storage.sql)) return []
      openFor(this.ctx.storage.sql, owner)
      const connections = this.#grants.list().filter(({ provider: id }) => id === providerId)
      const accounts = account === undefined ? connections.map((connection) => connection.account) : [account]
      const revocations = await Promise.all(
        accounts.map(async (grantAccount) => {
          // Otherwise, the next call would get the grant again
          if (this.#grantRows.find(providerId, grantAccount)?.browser === SIGN_IN) this.#forgetSignIn()
          if (toolkit === undefined) return this.#grants.revoke(userId, providerId, grantAccount, provider)
          const isRemoved = this.#consents.remove(providerId, grantAccount, toolkit)
          return isRemoved ? { provider: providerId, account: grantAccount, isRevokedAtProvider: false } : undefined
        }),
      )
      // If the vault is empty now, the alarm deletes it
      await this.#schedule(this.#deployment.now() + HOUR_MS)
      return revocations.filter((revocation) => revocation !== undefined)
    }

    async keepSignIn(owner: string, userId: string, tokens: Tokens): Promise<void> {
      const { keyring, companyIssuer: account = '' } = this.#deployment
      const place = { provider: SIGN_IN, account, browser: null }
      const sealedGrant = await sealGrant(keyring, userId, place, tokens)
      openFor(this.ctx.storage.sql, owner)
      this.#grantRows.put(place, tokens, [], sealedGrant)
    }

    #forgetSignIn(): void {
      this.#grantRows.remove(SIGN_IN, this.#deployment.companyIssuer ?? '')
    }

    /** Ends all authorizations that are open or approved, so that no flow stores a grant. Returns their number. */
    async endAuthorizations(owner: string): Promise<number> {
      const { sql } = this.ctx.storage
      if (!hasTables(sql)) return 0
      openFor(sql, owner)
      const count = this.#rows.endAll("An administrator ended this user's access")
      this.#grantRows.removeLost()
      this.#forgetSignIn()
      await this.#schedule(this.#deployment.now() + HOUR_MS)
      return count
    }

    /** Counts an authorization against the hour's limits of the principal that caused it. Call in the principal's vault. */
    async charge(owner: string, bytes: number): Promise<boolean> {
      const { chargeHour } = await import('./charged-hour.ts')
      openFor(this.ctx.storage.sql, owner)
      const now = this.#deployment.now()
      const isCharged = chargeHour(this.ctx.storage.sql, bytes, now)
      await this.#schedule(now + HOUR_MS)
      return isCharged
    }

    /** Deletes an empty vault as a whole, or made-up user ids would take up space forever. */
    override async alarm(): Promise<void> {
      const { chargedHour } = await import('./charged-hour.ts')
      const { storage } = this.ctx
      if (!hasTables(storage.sql)) return
      this.#rows.sweep()
      const hour = chargedHour(storage.sql, this.#deployment.now())
      if (!hour && isEmpty(storage.sql)) return storage.deleteAll()
      await this.#schedule(hour?.until)
    }

    /** Loads the code lazily, because only requests of people need it. */
    async #loadAuthorizationFlow(): Promise<AuthorizationFlow> {
      const { createAuthorizationFlow } = await import('./authorization-flow.ts')
      const parts = [this.ctx, this.#rows, this.#grants, this.#consents, this.#deployment] as const
      return (this.#authorizationFlow ??= createAuthorizationFlow(...parts))
    }

    /** Finds the open authorization of an equal request, or creates one and charges it. */
    async #ensureAuthorization({ owner, newId, newAuthorization, refusal, chargedTo }: EnsureAuthorizationOptions) {
      const isFirstRequest = this.#rows.findOpen(newAuthorization.purpose) === undefined
      // Calls without a user use their principal's own vault, whose rows are limited
      const isCharged = isFirstRequest && newAuthorization.userId !== undefined
      if (isCharged && !(await this.#deployment.charge(chargedTo, newAuthorization.invocation?.length ?? 0))) {
        // The vault may be empty: then the alarm deletes it
        await this.#schedule(this.#deployment.now())
        return { unavailable: (await import('./charged-hour.ts')).TOO_MANY }
      }
      // During the wait for the charge, an alarm may have deleted the vault, or another call may have requested the same
      openFor(this.ctx.storage.sql, owner)
      const openAuthorization = this.#rows.findOpen(newAuthorization.purpose)
      if (openAuthorization) this.#rows.addRequester(openAuthorization, newAuthorization.requestedBy)
      const { id, scopes, status } = openAuthorization ?? this.#rows.insert(newId, newAuthorization)
      await this.#schedule()
      return { authorization: { id, scopes, status }, ...refusal }
    }

    async #schedule(until = Infinity): Promise<void> {
      const at = Math.min(until, this.#rows.nextSweep() ?? Infinity)
      const set = await this.ctx.storage.getAlarm()
      if (at !== Infinity && (set === null || at < set)) await this.#setAlarm(at)
    }

    async #afterStep<T extends FlowResult<StoredAuthorization> | FlowStep>(result: T): Promise<T> {
      await this.#schedule()
      if (!('authorization' in result)) return result
      return { ...result, authorization: await this.#withPrivateFields(result.authorization) }
    }

    /** Returns an authorization as its page shows it: a grant with the user's accounts, and an approval with the call. */
    async #withPrivateFields(authorization: StoredAuthorization): Promise<StoredAuthorization> {
      const { invocation: sealedText, ...fields } = authorization
      if (fields.kind === 'grant' && isOpen(fields)) return { ...fields, ...this.#readAccounts(fields) }
      if (sealedText === undefined) return fields
      const invocation = await openInvocation(this.#deployment.keyring, fields.id, sealedText)
      if (invocation !== undefined) return { ...fields, invocation }
      this.#endUnreadable(fields)
      return this.#rows.find(fields.id) ?? fields
    }

    #readAccounts(authorization: StoredAuthorization): Pick<StoredAuthorization, 'accounts' | 'hasProviderGrant'> {
      const { provider } = authorization
      const account = authorization.account ?? this.#grants.findOnlyAccount(provider)
      const hasProviderGrant =
        account !== undefined && this.#grants.findGrantLackingConsent(toGrantUse(authorization, account)) !== undefined
      return { accounts: this.#grantRows.accounts(provider), hasProviderGrant }
    }

    /** Ends an authorization whose call cannot be shown, because nobody should approve it unseen. */
    #endUnreadable(authorization: StoredAuthorization): void {
      const problem = 'Its arguments cannot be read'
      if (isOpen(authorization))
        this.#rows.end(authorization.id, 'failed', `${problem} any more`, `${problem} with the keys in VAULT_KEYS`)
    }
  }
}

export type VaultObject = InstanceType<ReturnType<typeof defineVault>>

function toSetupRefusal({ providerId }: CallTokenRequest, forOperator: string): GrantRefusal {
  return { reason: formatNotSetUp(providerId), forOperator, needsSetup: true }
}

function refuseUngranted({ scopes, tool, provider }: TokenRequest): TokenRequestResult {
  return { scopes, reason: notGranted(tool, provider.id) }
}

/** Adds why the last equal authorization failed. */
function withFailure({ reason, forOperator }: GrantRefusal, lastFailure: GrantRefusal | undefined): GrantRefusal {
  const addFailure = (text: string, failure: string | undefined) =>
    failure === undefined ? text : `${text}. When it was last asked for: ${failure}`
  const operatorReason = addFailure(forOperator ?? reason, lastFailure?.forOperator ?? lastFailure?.reason)
  const userReason = addFailure(reason, lastFailure?.reason)
  return { reason: userReason, ...(operatorReason === userReason ? {} : { forOperator: operatorReason }) }
}

function toNewAuthorization(
  { userId, providerId, tool, hosts, account: callAccount, requestedBy }: CallTokenRequest,
  scopes: readonly string[],
  account = callAccount,
): NewAuthorization {
  const purpose = JSON.stringify(['grant', providerId, tool, scopes.toSorted(), hosts.toSorted(), account ?? null])
  const accountField = account === undefined ? {} : { account }
  return { kind: 'grant', provider: providerId, userId, scopes, tool, requestedBy, hosts, ...accountField, purpose }
}
