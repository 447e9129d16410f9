import { DurableObject } from 'cloudflare:workers'
import { APPROVAL, type AuthorizationStatus, type Grant, type Step } from '../../core/consent/authorization.ts'
import type { Provider } from '../../core/consent/provider.ts'
import type { Unavailable } from '../../core/call/requirements.ts'
import type { Keyring } from '../keyring.ts'
import { newAuthorizationId, newState } from './authorization-id.ts'
import {
  type AuthorizationRows,
  authorizationRows,
  type AuthorizationText,
  isOpen,
  type Wanted,
} from './authorizations.ts'
import { type Browser, type Consent, createConsent, type EndedText, type Returned } from './consent.ts'
import { createFlows } from './flows.ts'
import { createGrants, type Grants, NO_KEYS, type TokenWanted } from './grants.ts'
import type { OAuth } from './oauth.ts'
import { createTables, ensureOwner } from './tables.ts'
import { createWaiters } from './waiters.ts'

/** What a vault is of a deployment, the same for all users. */
export interface VaultDeployment {
  /** While it is empty nothing is granted, and what is to be approved is kept as it is. */
  readonly keyring: Keyring
  readonly oauth: OAuth
  readonly verifierUrl?: string
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** What to ask of a person, and why. */
export interface Asked {
  readonly authorization: Pick<AuthorizationText, 'id' | 'scopes' | 'status'>
  readonly reason: string
}

export interface TokenAsked extends Omit<TokenWanted, 'provider'> {
  readonly providerId: string
  /** Or why there is none that this call may use. */
  readonly provider: Provider | string
}

export interface ApprovalAsked {
  readonly userId?: string
  readonly tool: string
  /** Hash of everything that the approval is bound to. */
  readonly binding: string
  /** JSON text. */
  readonly input: string
  readonly reason: string
}

/**
 * Makes the class of the Vault Durable Object, of which each user has one: grants, and what the user is asked. `deploy`
 * says what the deployment is. Nothing is shared between vaults, and what may go wrong is in the answers.
 */
export function defineVault<E>(deploy: (env: E) => VaultDeployment) {
  let deployment: VaultDeployment | undefined

  return class Vault extends DurableObject<E> {
    readonly #deployment: VaultDeployment
    readonly #rows: AuthorizationRows
    readonly #consent: Consent
    readonly #grants: Grants
    readonly #waiters = createWaiters()

    constructor(state: DurableObjectState, env: E) {
      super(state, env)
      this.#deployment = deployment ??= deploy(env)
      const { keyring, oauth, verifierUrl, now } = this.#deployment
      const { sql } = state.storage
      createTables(sql)
      this.#rows = authorizationRows(sql, now, this.#waiters.wake)
      this.#grants = createGrants({ sql, keyring, oauth, now })
      this.#consent = createConsent({
        rows: this.#rows,
        flows: createFlows(sql, now),
        grants: this.#grants,
        keyring,
        oauth,
        newState: () => newState(state.id),
        atOnce: (change) => state.storage.transactionSync(change),
        ...(verifierUrl === undefined ? {} : { verifierUrl }),
      })
    }

    /** A token of the user whose vault this is, or what the user is asked for first. */
    async token(owner: string, asked: TokenAsked): Promise<{ readonly token: string } | Unavailable | Asked> {
      ensureOwner(this.ctx.storage.sql, owner)
      const { provider, providerId, userId, tool, scopes } = asked
      if (typeof provider === 'string') return this.#ask(grantWanted(asked, scopes), provider)
      if (this.#deployment.keyring.isEmpty) return this.#ask(grantWanted(asked, scopes), NO_KEYS)
      const held = await this.#grants.token({ ...asked, provider })
      if (!('scopes' in held)) return held
      const unready = this.#deployment.oauth.unready(provider)
      if (unready !== undefined) return this.#ask(grantWanted(asked, held.scopes), unready)
      const before = this.#rows.lastFailure({ provider: providerId })
      const reason = before === undefined ? held.reason : `${held.reason}. When it was last asked for: ${before}`
      return this.#ask(grantWanted({ userId, providerId, tool }, held.scopes), reason)
    }

    /** Uses up the approval of a call, or says what a person is asked. */
    async claim(owner: string, asked: ApprovalAsked): Promise<'approved' | Asked> {
      ensureOwner(this.ctx.storage.sql, owner)
      const { userId, tool, binding, input } = asked
      const id = newAuthorizationId(this.ctx.id)
      const sealed = await this.#sealInput(id, input)
      if (this.#rows.claim(binding)) return 'approved'
      const before = this.#rows.lastFailure({ asked: binding })
      const reason = before === undefined ? asked.reason : `${asked.reason}. When it was last asked for: ${before}`
      const user = userId === undefined ? {} : { userId }
      const wanted = { kind: 'approval', provider: APPROVAL, ...user, scopes: [], tool, asked: binding } as const
      return this.#ask({ ...wanted, input: sealed }, reason, id)
    }

    async find(id: string): Promise<AuthorizationText | null> {
      const found = this.#rows.find(id)
      return found ? this.#opened(found) : null
    }

    /** The authorization as soon as its status is another than `from`, or after `timeoutMs`. */
    async changed(id: string, from: AuthorizationStatus, timeoutMs: number): Promise<AuthorizationText | null> {
      const end = this.#deployment.now() + timeoutMs
      for (let how = 'changed'; ;) {
        const found = this.#rows.find(id)
        const left = Math.min(end, found?.expiresAt ?? 0) - this.#deployment.now()
        if (!found || how === 'waited' || !isOpen(found) || found.status !== from || left <= 0) return this.find(id)
        how = await this.#waiters.wait(id, left)
      }
    }

    start(id: string, given: Browser, provider: Provider | string): Promise<Step> {
      return this.#consent.start(id, given, provider)
    }

    confirm(id: string, flow: string, userId: string): Promise<Step> {
      return this.#consent.confirm(id, flow, userId)
    }

    resume(id: string, given: Browser & { readonly proof: string }, provider: Provider | string): Promise<Step> {
      return this.#consent.resume(id, given, provider)
    }

    async returning(state: string): Promise<AuthorizationText | null> {
      return (await this.#consent.returning(state)) ?? null
    }

    async finish(given: Returned, provider: Provider | string): Promise<EndedText> {
      return this.#settled(await this.#consent.finish(given, provider))
    }

    async decide(id: string, given: Browser & { readonly approve: boolean }): Promise<EndedText | Step> {
      return this.#settled(await this.#consent.decide(id, given))
    }

    list(owner: string): Grant[] {
      ensureOwner(this.ctx.storage.sql, owner)
      return this.#grants.list()
    }

    async revoke(owner: string, userId: string, providerId: string, provider: Provider | null): Promise<boolean> {
      ensureOwner(this.ctx.storage.sql, owner)
      return this.#grants.revoke(userId, providerId, provider ?? undefined)
    }

    override async alarm(): Promise<void> {
      this.#rows.sweep()
      await this.#schedule()
    }

    /** Gives out the open authorization of what is wanted, or a new one. */
    async #ask(wanted: Wanted, reason: string, newId = newAuthorizationId(this.ctx.id)): Promise<Asked> {
      const { id, scopes, status } = this.#rows.open(wanted.asked) ?? this.#rows.insert(newId, wanted)
      await this.#schedule()
      return { authorization: { id, scopes, status }, reason }
    }

    async #schedule(): Promise<void> {
      const at = this.#rows.nextSweep()
      const set = await this.ctx.storage.getAlarm()
      if (at !== undefined && (set === null || at < set)) await this.ctx.storage.setAlarm(at)
    }

    async #settled<T extends EndedText | Step>(ended: T): Promise<T> {
      await this.#schedule()
      if (!('authorization' in ended)) return ended
      return { ...ended, authorization: await this.#opened(ended.authorization) }
    }

    /** An input may hold what is nobody's business, so it is kept sealed. */
    async #sealInput(id: string, input: string): Promise<string> {
      const { keyring } = this.#deployment
      return keyring.isEmpty ? `plain:${input}` : `sealed:${await keyring.seal(input, inputBound(id))}`
    }

    async #opened(found: AuthorizationText): Promise<AuthorizationText> {
      const { input, ...rest } = found
      if (input === undefined) return rest
      if (input.startsWith('plain:')) return { ...rest, input: input.slice('plain:'.length) }
      const opened = await this.#deployment.keyring.open(input.slice('sealed:'.length), inputBound(rest.id))
      if (opened) return { ...rest, input: opened.text }
      // Nobody is to approve what they cannot see
      if (isOpen(found)) this.#rows.end(rest.id, 'failed', 'Its arguments cannot be read with the keys in VAULT_KEYS')
      return this.#rows.find(rest.id) ?? rest
    }
  }
}

export type VaultObject = InstanceType<ReturnType<typeof defineVault>>

function grantWanted(
  { userId, providerId, tool }: Pick<TokenAsked, 'userId' | 'providerId' | 'tool'>,
  scopes: readonly string[],
): Wanted {
  const asked = JSON.stringify(['grant', providerId, tool, scopes.toSorted()])
  return { kind: 'grant', provider: providerId, userId, scopes, tool, asked }
}

function inputBound(id: string): string {
  return JSON.stringify(['input', id])
}
