import type { AuditEvent } from '../../core/access/audit-entry.ts'
import { formatHolder, type Holder } from '../../core/access/holder.ts'
import { formatApprovalReason } from '../../core/access/principal.ts'
import { toPersonId } from '../../core/access/session.ts'
import { createUserlessChallenge } from '../../core/call/missing-requirements.ts'
import type { GrantPreview, TokenQuery, UserTokens } from '../../core/call/user-tokens.ts'
import {
  APPROVAL,
  type ApprovalAvailability,
  type Approvals,
  type Authorization,
  type AuthorizationChallenge,
  authorizationPath,
  type Authorizations,
  type FlowResult,
  type Grant,
  NO_APPROVER,
  NO_APPROVER_SETUP,
  type Visit,
} from '../../core/consent/authorization.ts'
import type { UserConnection, StoredConnection, UserConnections } from '../../core/consent/connection.ts'
import type { InvocationSnapshot } from '../../core/consent/invocation-snapshot.ts'
import type { Tokens } from '../../oauth-client/oauth.ts'
import { formatNotSetUp } from '../../core/failure/failure-text.ts'
import { parseTrusted } from '../../core/tool/json-text.ts'
import { createReliableStub, type StubOptions } from '../reachable-stub.ts'
import { sha256 } from '../sealing/sha256.ts'
import { isState, getObject } from '../sealing/addressed-id.ts'
import type { StoredAuthorization } from './authorization-rows.ts'
import { EXPIRED_LINK, OTHER_BROWSER } from './flow-errors.ts'
import type { VaultDeployment } from './grants.ts'
import { createProviderAccess, type ProviderAccessOptions } from './provider-access.ts'
import type { VaultObject } from './vault-object.ts'

/** In bytes. The page shows all of it, which takes a tenth of a second at this size. */
const MAX_INVOCATION = 500_000
/** Long, because a vault may call a provider before it responds. */
const REACH: StubOptions<DurableObjectStub<VaultObject>> = {
  what: 'vaults',
  waitMs: 60_000,
  neverRetried: ['claim', 'start', 'resume', 'enter', 'confirm', 'finish', 'decide', 'revoke'],
}

export interface GrantHolders {
  /** Returns the time of the note, in milliseconds since 1970. */
  note(userId: string): Promise<number>
  /** Has no effect on a user who was noted after `until`. */
  forget(userId: string, until: number): Promise<void>
}

interface SignInVault extends UserConnections {
  keepSignIn(userId: string, tokens: Tokens, url: string): Promise<void>
}

/** Creates the vaults: one Durable Object per user. Calls without a user use their principal's vault. */
export function createVault(
  options: ProviderAccessOptions & {
    readonly namespace: DurableObjectNamespace<VaultObject>
    /** Vaults cannot be listed, so users who may have a grant are noted separately. */
    readonly grantHolders: GrantHolders
    /** Whether the deployment at the URL can tell people from the caller, or is a trial. */
    readonly canBeApproved: (url: string, isDistinguishableByKey: boolean) => boolean
    readonly writeAuditEvent: (event: AuditEvent) => void
  },
): UserTokens & GrantPreview & Approvals & ApprovalAvailability & Authorizations & SignInVault {
  const { namespace, providers, grantHolders, canBeApproved } = options
  const providerFor = createProviderAccess(options)

  function getVault(owner: string): DurableObjectStub<VaultObject> {
    return createReliableStub(() => namespace.get(namespace.idFromName(owner)), REACH)
  }

  function vaultOfId(id: string): DurableObjectStub<VaultObject> | undefined {
    const object = getObject(namespace, id)
    return object && createReliableStub(() => namespace.get(object), REACH)
  }

  async function requestToken(
    { userId, requirement, tool, hosts, account, requestedBy, chargedTo, requestUrl, isConnection }: TokenQuery,
    mode: 'issue' | 'preview',
    refused?: { token: string; final: boolean },
  ) {
    const owner = vaultName({ kind: 'user', id: userId })
    const provider = await providerFor(requirement.id, tool.id, requestUrl())
    // Entered credentials have no scopes
    const isEntered = provider.ok && provider.value.kind !== undefined
    const request = {
      userId,
      providerId: requirement.id,
      provider,
      scopes: isEntered ? [] : [...new Set(requirement.oauth2?.scopes ?? [])],
      tool: tool.id,
      toolkit: tool.toolkit,
      hosts,
      requestedBy,
      chargedTo,
      ...(account === undefined ? {} : { account }),
      ...(refused ? { refused } : {}),
      ...(isConnection ? { isConnection } : {}),
    }
    const result = await getVault(owner)[mode](owner, request)
    if ('token' in result && result.isNew) {
      const event = { at: Date.now(), act: 'grant.give', principal: chargedTo, user_id: userId } as const
      const response = { method: 'POST', path: new URL(requestUrl()).pathname, outcome: 'success', status: 200 }
      const about = { provider: requirement.id, tool: tool.id, identity_assertion: true }
      options.writeAuditEvent({ ...event, ...response, about })
    }
    if ('token' in result || 'accounts' in result || 'unavailable' in result) return result
    const { authorization, needsSetup, ...why } = result
    const challenge = authorization
      ? createChallenge(requirement.id, authorization, requestUrl())
      : createUserlessChallenge(requirement, requestUrl)
    return { challenge: needsSetup ? { ...challenge, needsSetup } : challenge, ...why }
  }

  /** Finds the vault of an authorization, and its provider, which an approval does not have. */
  async function openStep(id: string, callback: string) {
    const vault = vaultOfId(id)
    const authorization = await vault?.find(id)
    if (!vault || !authorization) return undefined
    const provider = await providerFor(authorization.provider, authorization.tool, callback)
    return { vault, provider, userId: authorization.userId ?? '' }
  }

  async function listStored(userId: string): Promise<readonly StoredConnection[]> {
    const owner = vaultName({ kind: 'user', id: userId })
    return getVault(owner).list(owner)
  }

  async function listGrants(userId: string): Promise<readonly Grant[]> {
    return (await listStored(userId)).filter(({ state }) => state !== 'ended')
  }

  async function withProvider(connection: StoredConnection): Promise<UserConnection> {
    const provider = await providers.find(connection.provider)
    const kind = provider ? { kind: provider.kind ?? ('oauth2' as const) } : {}
    return { ...connection, provider_name: provider?.name ?? connection.provider, ...kind }
  }

  async function revokeGrants(userId: string, provider: string, only: { account?: string; toolkit?: string }) {
    const owner = vaultName({ kind: 'user', id: userId })
    return getVault(owner).revoke(owner, userId, provider, only, await providers.find(provider))
  }

  async function forgetUnlessGranted(userId: string, notedAt: number): Promise<void> {
    if ((await listGrants(userId)).length === 0) await grantHolders.forget(userId, notedAt)
  }

  return {
    tokenFor: (required) => requestToken(required, 'issue'),
    renew: (required, refused, final) => requestToken(required, 'issue', { token: refused, final }),
    look: (required) => requestToken(required, 'preview'),
    async findSetupRefusal({ requirement, tool, requestUrl }) {
      const provider = await providerFor(requirement.id, tool.id, requestUrl())
      if (provider.ok) return undefined
      const challenge = { ...createUserlessChallenge(requirement, requestUrl), needsSetup: true } as const
      return { challenge, reason: formatNotSetUp(requirement.id), forOperator: provider.reason }
    },

    canBeApproved,

    async claim({
      tool,
      invocation: shownInvocation,
      fingerprint,
      isDistinguishableByKey,
      requestedBy,
      chargedTo,
      requestUrl,
    }) {
      const url = requestUrl()
      const reason = `${formatApprovalReason(tool)}: a person must approve each call`
      if (!canBeApproved(url, isDistinguishableByKey))
        return { refused: `${reason}, and ${NO_APPROVER}`, forOperator: `${reason}, and ${NO_APPROVER_SETUP}` }
      const invocation = JSON.stringify(shownInvocation)
      if (new TextEncoder().encode(invocation).length > MAX_INVOCATION) {
        const tooLarge = `${reason}, and the arguments of this one are too large to be shown to one`
        // No authorization is stored, so the page of this link reports it as unknown
        const unknown = `${new URL(url).origin}${authorizationPath(APPROVAL)}/start`
        return { challenge: { id: APPROVAL, url: unknown, scopes: [], status: 'failed' }, reason: tooLarge }
      }
      const { principal, user: userId } = shownInvocation
      const owner = vaultName(
        userId === undefined ? { kind: 'principal', id: principal } : { kind: 'user', id: userId },
      )
      const user = userId === undefined ? {} : { userId }
      const call = { principal, requestedBy, chargedTo, ...user, tool: tool.id, invocation }
      const result = await getVault(owner).claim(owner, { ...call, purpose: fingerprint, reason })
      if (result === 'approved') return { approved: true }
      if ('unavailable' in result) return { refused: result.unavailable, forOperator: result.unavailable }
      return { challenge: createChallenge(APPROVAL, result.authorization, url), reason: result.reason }
    },

    async find(id) {
      const authorization = await vaultOfId(id)?.find(id)
      return authorization && withParsedInvocation(authorization)
    },

    async start(id, visit) {
      const step = await openStep(id, visit.callback)
      return step ? step.vault.start(id, await toVaultVisit(visit), step.provider) : EXPIRED_LINK
    },

    async resume(id, visit) {
      const step = await openStep(id, visit.callback)
      return step ? step.vault.resume(id, await toVaultVisit(visit), step.provider) : EXPIRED_LINK
    },

    async enter(id, visit) {
      const step = await openStep(id, visit.callback)
      if (!step) return EXPIRED_LINK
      const { vault, provider, userId } = step
      const notedAt = await grantHolders.note(userId)
      const result = await vault.enter(id, await toVaultVisit(visit), provider)
      if (!result.ok) await forgetUnlessGranted(userId, notedAt)
      return 'location' in result ? result : toFlowResult(result)
    },

    async confirm(id, flow, userId) {
      return (await vaultOfId(id)?.confirm(id, flow, userId)) ?? EXPIRED_LINK
    },

    async finish({ url, browserCookie, callback }) {
      const [state, ...otherStates] = new URL(url).searchParams.getAll('state')
      if (state === undefined || otherStates.length > 0 || !isState(state)) return EXPIRED_LINK
      const vault = vaultOfId(state)
      const authorization = await vault?.findPendingAuthorization(state)
      if (!vault || !authorization) return EXPIRED_LINK
      if (browserCookie === undefined) return OTHER_BROWSER
      const { userId = '' } = authorization
      // Noted before the grant is stored, so that no user with a grant is missing from the list
      const notedAt = await grantHolders.note(userId)
      const provider = await providerFor(authorization.provider, authorization.tool, callback)
      const browserHash = await sha256(browserCookie)
      const result = await vault.finish({ url, browserHash, state }, provider)
      if (!result.ok) await forgetUnlessGranted(userId, notedAt)
      return toFlowResult(result)
    },

    async decide(id, visit) {
      const result = await vaultOfId(id)?.decide(id, await toVaultVisit(visit))
      if (!result) return EXPIRED_LINK
      return 'location' in result ? result : toFlowResult(result)
    },

    list: listGrants,

    listConnections: async (userId) => Promise.all((await listStored(userId)).map(withProvider)),

    async checkConnection(userId, id, account) {
      const owner = vaultName({ kind: 'user', id: userId })
      const provider = await providers.find(id)
      const checkResult = provider && (await getVault(owner).checkConnection(owner, userId, provider, account))
      return checkResult && withProvider(checkResult)
    },

    async keepSignIn(userId, tokens, url) {
      if (!options.canStoreGrants(url)) return
      const owner = vaultName({ kind: 'user', id: userId })
      await grantHolders.note(userId)
      await getVault(owner).keepSignIn(owner, userId, tokens)
    },

    async revoke(userId, provider, only = {}) {
      return (await revokeGrants(userId, provider, only)).length > 0
    },

    async endAll(userId) {
      const holders = [{ kind: 'user', id: userId } as const, { kind: 'principal', id: toPersonId(userId) } as const]
      const counts = await Promise.all(holders.map(vaultName).map((owner) => getVault(owner).endAuthorizations(owner)))
      const grants = await listGrants(userId)
      const revocations = await Promise.all(
        grants.map(({ provider, account }) => revokeGrants(userId, provider, { account })),
      )
      return { revocations: revocations.flat(), authorizations: counts.reduce((sum, count) => sum + count, 0) }
    },
  }
}

/** Counts the authorizations that a principal causes in users' vaults, in the principal's own vault. */
export function createCharge(namespace: DurableObjectNamespace<VaultObject>): VaultDeployment['charge'] {
  return (id, bytes) => {
    const owner = vaultName({ kind: 'principal', id })
    return createReliableStub(() => namespace.get(namespace.idFromName(owner)), REACH).charge(owner, bytes)
  }
}

function vaultName(holder: Holder): string {
  return holder.kind === 'user' ? `user:${JSON.stringify(holder.id)}` : formatHolder(holder)
}

function createChallenge(
  id: string,
  { id: authorization, scopes, status }: Pick<StoredAuthorization, 'id' | 'scopes' | 'status'>,
  requestUrl: string,
): AuthorizationChallenge {
  const at = `${new URL(requestUrl).origin}${authorizationPath(authorization)}`
  return { id, authorization, url: `${at}/start`, check_url: at, scopes, status }
}

async function toVaultVisit<V extends Visit>({ browserCookie, ...visit }: V) {
  return { ...visit, browserHash: await sha256(browserCookie) }
}

function toFlowResult(result: FlowResult<StoredAuthorization>): FlowResult {
  return result.ok ? { ...result, authorization: withParsedInvocation(result.authorization) } : result
}

function withParsedInvocation(storedAuthorization: StoredAuthorization): Authorization {
  const { invocation: text, principal: _, ...fields } = storedAuthorization
  if (text === undefined) return fields
  const invocation: InvocationSnapshot = parseTrusted(text)
  return { ...fields, invocation }
}
