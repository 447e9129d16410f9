import { DurableObject } from 'cloudflare:workers'
import type { AuthorizationStatus, FlowResult, Grant, FlowStep, Visit } from '../../core/consent/authorization.ts'
import { APPROVAL, isOpen } from '../../core/consent/authorization.ts'
import type { Provider, ProviderResult } from '../../core/consent/provider.ts'
import { HOUR_MS } from '../../core/tool/time.ts'
import { formatNotSetUp } from '../../core/failure/failure-text.ts'
import { createChangeNotifier } from '../changes.ts'
import { newAuthorizationId } from './authorization-id.ts'
import type { AuthorizationRows, NewAuthorization, StoredAuthorization } from './authorization-rows.ts'
import { authorizationRows } from './authorization-rows.ts'
import { consentRows, toGrantUse } from './consent-rows.ts'
import { openInvocation, sealInvocation } from './sealed-invocation.ts'
import type { Consent, ProviderCallback } from './consent-flow.ts'
import { grantRows } from './grant-rows.ts'
import type { Grants, GrantRefusal, TokenRequestResult, TokenRequest, VaultDeployment } from './grants.ts'
import { createGrants, NO_VAULT_KEYS, notGranted } from './grants.ts'
import { hasTables } from '../schema.ts'
import { checkTables, ensureOwner, isEmpty } from './tables.ts'

interface OpenAuthorization extends GrantRefusal {
  /** Absent if a preview finds no open authorization. */
  readonly authorization?: Pick<StoredAuthorization, 'id' | 'scopes' | 'status'>
}

type VaultTokenResult = Exclude<TokenRequestResult, { scopes: unknown }> | OpenAuthorization

interface NewQuestion {
  readonly owner: string
  readonly newAuthorization: NewAuthorization
  readonly refusal: GrantRefusal
  readonly chargedTo: string
  readonly newId?: string
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

/** The grants of one user, and the authorizations that wait for the user. Failures are results, not errors. */
export function defineVault<E>(deploy: (env: E) => VaultDeployment) {
  let deployment: VaultDeployment | undefined

  return class Vault extends DurableObject<E> {
    readonly #deployment: VaultDeployment
    readonly #rows: AuthorizationRows
    #consent: Consent | undefined
    readonly #grants: Grants
    readonly #consents: ReturnType<typeof consentRows>
    readonly #changes = createChangeNotifier()

    constructor(state: DurableObjectState, env: E) {
      super(state, env)
      this.#deployment = deployment ??= deploy(env)
      const { now } = this.#deployment
      const { sql } = state.storage
      // Reads create no tables, or made-up user ids would fill the disk
      checkTables(sql)
      this.#rows = authorizationRows(sql, now, this.#changes.notifyChange)
      this.#consents = consentRows(sql, now)
      this.#grants = createGrants(grantRows(sql, now), this.#consents, this.#deployment)
    }

    /** With `preview`, predicts the result without an effect: an open authorization is found, and none is created. */
    async token(owner: string, request: CallTokenRequest, mode: 'issue' | 'preview'): Promise<VaultTokenResult> {
      return mode === 'issue' ? this.#issue(owner, request) : this.#preview(owner, request)
    }

    async #issue(owner: string, request: CallTokenRequest): Promise<VaultTokenResult> {
      ensureOwner(this.ctx.storage.sql, owner)
      const result = await this.#tokenFor(request, this.#grants.token)
      if (!('scopes' in result)) return result
      const { scopes, ...reasons } = result
      const lastFailure = reasons.needsSetup ? {} : this.#withLastFailure(reasons, 'provider', request.providerId)
      const refusal = { ...reasons, ...lastFailure }
      const newAuthorization = toNewAuthorization(request, scopes)
      return this.#ask({ owner, newAuthorization, refusal, chargedTo: request.chargedTo })
    }

    async #preview(owner: string, request: CallTokenRequest): Promise<VaultTokenResult> {
      // A vault without tables has no grant and no authorization, and a preview creates none
      const isUnstored = !hasTables(this.ctx.storage.sql)
      if (!isUnstored) ensureOwner(this.ctx.storage.sql, owner)
      const result = await this.#tokenFor(request, (tokenRequest) => {
        const { scopes, tool, provider } = tokenRequest
        return isUnstored ? { scopes, reason: notGranted(tool, provider.id) } : this.#grants.look(tokenRequest)
      })
      if (!('scopes' in result)) return result
      const { scopes, ...refusal } = result
      const authorization = isUnstored ? undefined : this.#rows.findOpen(toNewAuthorization(request, scopes).purpose)
      return { ...(authorization ? { authorization } : {}), ...refusal }
    }

    /** If the provider cannot be used, the reason names what an administrator must do. */
    async #tokenFor(
      request: CallTokenRequest,
      getToken: (tokenRequest: TokenRequest) => TokenRequestResult | Promise<TokenRequestResult>,
    ): Promise<TokenRequestResult> {
      const { provider, scopes } = request
      const { keyring, oauth } = this.#deployment
      if (!provider.ok) return { scopes, ...notReady(request, provider.reason) }
      if (keyring.isEmpty) return { scopes, ...notReady(request, NO_VAULT_KEYS) }
      const result = await getToken({ ...request, provider: provider.value })
      if (!('scopes' in result)) return result
      const unready = oauth.unready(provider.value)
      return unready === undefined ? result : { scopes: result.scopes, ...notReady(request, unready) }
    }

    async claim(owner: string, { reason, chargedTo, ...request }: ApprovalRequest) {
      const { purpose } = request
      const newId = newAuthorizationId(this.ctx.id)
      const invocation = await sealInvocation(this.#deployment.keyring, newId, request.invocation)
      ensureOwner(this.ctx.storage.sql, owner)
      if (this.#rows.claim(purpose)) return 'approved' as const
      const newAuthorization = {
        ...request,
        kind: 'approval',
        provider: APPROVAL,
        scopes: [],
        hosts: [],
        invocation,
      } as const
      const refusal = this.#withLastFailure({ reason }, 'asked', purpose)
      return this.#ask({ owner, newAuthorization, refusal, chargedTo, newId })
    }

    async find(id: string): Promise<StoredAuthorization | undefined> {
      const authorization = this.#rows.find(id)
      return authorization && this.#opened(authorization)
    }

    /** Resolves when the status differs from `from`, or after `timeoutMs`. */
    async waitForChange(
      id: string,
      from: AuthorizationStatus,
      timeoutMs: number,
    ): Promise<StoredAuthorization | undefined> {
      const deadline = this.#deployment.now() + timeoutMs
      for (let change = 'changed'; ;) {
        const authorization = this.#rows.find(id)
        const remainingMs = Math.min(deadline, authorization?.expiresAt ?? 0) - this.#deployment.now()
        if (
          !authorization ||
          change === 'timed-out' ||
          !isOpen(authorization) ||
          authorization.status !== from ||
          remainingMs <= 0
        )
          return this.find(id)
        change = await this.#changes.waitForChange(id, remainingMs)
      }
    }

    async step(
      id: string,
      { proof, ...visit }: Visit & { readonly proof?: string },
      provider: ProviderResult | undefined,
    ): Promise<FlowStep> {
      const flow = await this.#flow()
      if (proof === undefined) return flow.start(id, visit, provider)
      return flow.resume(id, proof, visit, provider)
    }

    async confirm(id: string, flow: string, userId: string): Promise<FlowStep> {
      return (await this.#flow()).confirm(id, flow, userId)
    }

    async findPendingAuthorization(state: string): Promise<StoredAuthorization | undefined> {
      if (!hasTables(this.ctx.storage.sql)) return undefined
      return (await this.#flow()).findPendingAuthorization(state)
    }

    async finish(callback: ProviderCallback, provider: ProviderResult): Promise<FlowResult<StoredAuthorization>> {
      return this.#settled(await (await this.#flow()).handleCallback(callback, provider))
    }

    async decide(
      id: string,
      visit: Visit & { readonly approve: boolean },
    ): Promise<FlowResult<StoredAuthorization> | FlowStep> {
      return this.#settled(await (await this.#flow()).decide(id, visit))
    }

    list(owner: string): Grant[] {
      if (!hasTables(this.ctx.storage.sql)) return []
      ensureOwner(this.ctx.storage.sql, owner)
      return this.#grants.list()
    }

    /** Revokes a grant here, and at `provider` if the deployment still has that provider. */
    async revoke(
      owner: string,
      userId: string,
      providerId: string,
      { account, toolkit }: { readonly account?: string; readonly toolkit?: string },
      provider?: Provider,
    ): Promise<boolean> {
      if (!hasTables(this.ctx.storage.sql)) return false
      ensureOwner(this.ctx.storage.sql, owner)
      const accounts = account === undefined ? this.#grants.accounts(providerId) : [account]
      const revoked = await Promise.all(
        accounts.map((grantAccount) =>
          toolkit === undefined
            ? this.#grants.revoke(userId, providerId, grantAccount, provider)
            : this.#consents.remove(providerId, grantAccount, toolkit),
        ),
      )
      // If the vault is empty now, the alarm deletes it
      await this.#schedule(this.#deployment.now() + HOUR_MS)
      return revoked.includes(true)
    }

    /** Counts an authorization against the hour's limits of the principal that caused it. Call in the principal's vault. */
    async charge(owner: string, bytes: number): Promise<boolean> {
      const { chargeHour } = await import('./charged-hour.ts')
      ensureOwner(this.ctx.storage.sql, owner)
      const now = this.#deployment.now()
      const isCharged = chargeHour(this.ctx.storage.sql, bytes, now)
      await this.#schedule(now + HOUR_MS)
      return isCharged
    }

    /** Deletes an empty vault as a whole, or made-up user ids would take space forever. */
    override async alarm(): Promise<void> {
      const { chargedHour } = await import('./charged-hour.ts')
      const { storage } = this.ctx
      if (!hasTables(storage.sql)) return
      this.#rows.sweep()
      const hour = chargedHour(storage.sql, this.#deployment.now())
      if (!hour && isEmpty(storage.sql)) return storage.deleteAll()
      await this.#schedule(hour?.until)
    }

    /** Loads the code late, since only requests of people need it. */
    async #flow(): Promise<Consent> {
      const { createConsent } = await import('./consent-flow.ts')
      return (this.#consent ??= createConsent(this.ctx, this.#rows, this.#grants, this.#consents, this.#deployment))
    }

    async #ask({ owner, newAuthorization, refusal, chargedTo, newId = newAuthorizationId(this.ctx.id) }: NewQuestion) {
      const isFirstRequest = this.#rows.findOpen(newAuthorization.purpose) === undefined
      // Calls without a user use their principal's own vault, whose rows are limited
      const isCharged = isFirstRequest && newAuthorization.userId !== undefined
      if (isCharged && !(await this.#deployment.charge(chargedTo, newAuthorization.invocation?.length ?? 0))) {
        await this.#schedule(this.#deployment.now())
        return { unavailable: (await import('./charged-hour.ts')).TOO_MANY }
      }
      // While the charge was awaited, an alarm may have deleted the vault, or another call may have asked for the same
      ensureOwner(this.ctx.storage.sql, owner)
      const openAuthorization = this.#rows.findOpen(newAuthorization.purpose)
      if (openAuthorization) this.#rows.addRequester(openAuthorization, newAuthorization.requestedBy)
      const { id, scopes, status } = openAuthorization ?? this.#rows.insert(newId, newAuthorization)
      await this.#schedule()
      return { authorization: { id, scopes, status }, ...refusal }
    }

    #withLastFailure({ reason, forOperator }: GrantRefusal, name: 'asked' | 'provider', value: string): GrantRefusal {
      const lastFailure = this.#rows.lastFailure(name, value)
      const withFailure = (text: string, failure: string | undefined) =>
        failure === undefined ? text : `${text}. When it was last asked for: ${failure}`
      const operatorReason = withFailure(forOperator ?? reason, lastFailure?.forOperator ?? lastFailure?.reason)
      const userReason = withFailure(reason, lastFailure?.reason)
      return { reason: userReason, ...(operatorReason === userReason ? {} : { forOperator: operatorReason }) }
    }

    async #schedule(until = Infinity): Promise<void> {
      const at = Math.min(until, this.#rows.nextSweep() ?? Infinity)
      const set = await this.ctx.storage.getAlarm()
      if (at !== Infinity && (set === null || at < set)) await this.ctx.storage.setAlarm(at)
    }

    async #settled<T extends FlowResult<StoredAuthorization> | FlowStep>(result: T): Promise<T> {
      await this.#schedule()
      if (!('authorization' in result)) return result
      return { ...result, authorization: await this.#opened(result.authorization) }
    }

    #readAccounts(authorization: StoredAuthorization): Pick<StoredAuthorization, 'accounts' | 'hasProviderGrant'> {
      const accounts = this.#grants.accounts(authorization.provider)
      const usedAccount = authorization.account ?? (accounts.length === 1 ? accounts[0] : undefined)
      return {
        accounts,
        hasProviderGrant:
          usedAccount !== undefined &&
          this.#grants.findGrantLackingConsent(toGrantUse(authorization, usedAccount)) !== undefined,
      }
    }

    async #opened(authorization: StoredAuthorization): Promise<StoredAuthorization> {
      const { invocation: sealedText, ...fields } = authorization
      if (fields.kind === 'grant' && isOpen(fields)) return { ...fields, ...this.#readAccounts(fields) }
      if (sealedText === undefined) return fields
      const invocation = await openInvocation(this.#deployment.keyring, fields.id, sealedText)
      if (invocation !== undefined) return { ...fields, invocation }
      // Nobody should approve what they cannot see
      const problem = 'Its arguments cannot be read'
      if (isOpen(authorization))
        this.#rows.end(fields.id, 'failed', `${problem} any more`, `${problem} with the keys in VAULT_KEYS`)
      return this.#rows.find(fields.id) ?? fields
    }
  }
}

export type VaultObject = InstanceType<ReturnType<typeof defineVault>>

function notReady({ providerId }: CallTokenRequest, forOperator: string): GrantRefusal {
  return { reason: formatNotSetUp(providerId), forOperator, needsSetup: true }
}

function toNewAuthorization(
  { userId, providerId, tool, hosts, account, requestedBy }: CallTokenRequest,
  scopes: readonly string[],
): NewAuthorization {
  const purpose = JSON.stringify(['grant', providerId, tool, scopes.toSorted(), hosts.toSorted(), account ?? null])
  const accountField = account === undefined ? {} : { account }
  return { kind: 'grant', provider: providerId, userId, scopes, tool, requestedBy, hosts, ...accountField, purpose }
}
