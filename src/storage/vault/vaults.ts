import { formatHolder, type Holder } from '../../core/access/holder.ts'
import { parseTrusted } from '../../core/tool/json-text.ts'
import { approvalReason } from '../../core/access/principal.ts'
import type { ApprovalLooks, Approvals, Authorization, Authorizations } from '../../core/consent/authorization.ts'
import type { AuthorizationChallenge, Ended, Step, UserGrants } from '../../core/consent/authorization.ts'
import type { Visit } from '../../core/consent/authorization.ts'
import { APPROVAL, NOBODY_IDENTIFIED, NOBODY_TOLD_APART } from '../../core/consent/authorization.ts'
import type { ShownInvocation } from '../../core/consent/shown-invocation.ts'
import type { GrantLooks, RequiredToken, UserTokens } from '../../core/call/requirements.ts'
import { challengeForNobody } from '../../core/call/requirements.ts'
import { notSetUp } from '../../core/failure/failure-words.ts'
import { reachableStub, type Reach } from '../reachable-stub.ts'
import { sha256 } from '../sealing/sha256.ts'
import { isState, objectOf } from './authorization-id.ts'
import type { StoredAuthorization } from './authorization-rows.ts'
import type { VaultDeployment } from './grants.ts'
import { createProviderAccess, type ProviderAccessOptions } from './provider-access.ts'
import { GONE, OTHER_BROWSER } from './stopped.ts'
import type { VaultObject } from './vault-object.ts'

/** In bytes: the page shows all of it, which takes a tenth of a second then. */
const MAX_INVOCATION = 500_000
/** Long, since a provider may be asked meanwhile, and `changed` waits for a person up to a minute. */
const REACH: Reach = {
  what: 'vaults',
  waitMs: 60_000,
  longer: { changed: 90_000 },
  once: ['claim', 'step', 'confirm', 'finish', 'decide', 'revoke'],
}

/** One Durable Object a user; calls for no user have a vault of their principal's. */
export function createVault(
  options: ProviderAccessOptions & {
    readonly namespace: DurableObjectNamespace<VaultObject>
    /** Whether the URL is of a deployment that tells persons from the caller, or of a trial. */
    readonly identifies: (url: string, isToldByKey: boolean) => boolean
  },
): UserTokens & GrantLooks & Approvals & ApprovalLooks & Authorizations & UserGrants {
  const { namespace, providers, identifies } = options
  const providerFor = createProviderAccess(options)

  function vaultOf(owner: string): DurableObjectStub<VaultObject> {
    return reachableStub(() => namespace.get(namespace.idFromName(owner)), REACH)
  }

  function vaultOfId(id: string): DurableObjectStub<VaultObject> | undefined {
    const object = objectOf(namespace, id)
    return object && reachableStub(() => namespace.get(object), REACH)
  }

  async function answerTo(
    { userId, requirement, tool, hosts, account, requestedBy, chargedTo, reachedAt }: RequiredToken,
    how: 'use' | 'look',
    refused?: { token: string; final: boolean },
  ) {
    const owner = vaultName({ kind: 'user', id: userId })
    const request = {
      userId,
      providerId: requirement.id,
      provider: await providerFor(requirement.id, tool.id, reachedAt()),
      scopes: [...new Set(requirement.oauth2?.scopes ?? [])],
      tool: tool.id,
      toolkit: tool.toolkit,
      hosts,
      requestedBy,
      chargedTo,
      ...(account === undefined ? {} : { account }),
      ...(refused ? { refused } : {}),
    }
    const answer = await vaultOf(owner).token(owner, request, how)
    if ('token' in answer || 'accounts' in answer || 'unavailable' in answer) return answer
    const { authorization, needsSetup, ...why } = answer
    const challenge = authorization
      ? challengeOf(requirement.id, authorization, reachedAt())
      : challengeForNobody(requirement, reachedAt)
    return { challenge: needsSetup ? { ...challenge, needsSetup } : challenge, ...why }
  }

  async function step(id: string, visit: Visit & { readonly proof?: string }): Promise<Step> {
    const vault = vaultOfId(id)
    const found = await vault?.find(id)
    if (!vault || !found) return GONE
    const { kind, provider, tool } = found
    const current = kind === 'grant' ? await providerFor(provider, tool, visit.callback) : APPROVAL
    return vault.step(id, await hashed(visit), current)
  }

  return {
    tokenFor: (required) => answerTo(required, 'use'),
    renew: (required, refused, final) => answerTo(required, 'use', { token: refused, final }),
    look: (required) => answerTo(required, 'look'),
    async unset({ requirement, tool, reachedAt }) {
      const provider = await providerFor(requirement.id, tool.id, reachedAt())
      if (typeof provider !== 'string') return undefined
      const challenge = { ...challengeForNobody(requirement, reachedAt), needsSetup: true } as const
      return { challenge, reason: notSetUp(requirement.id), forOperator: provider }
    },

    canBeApproved: identifies,

    async claim({ tool, shown, fingerprint, isToldByKey, requestedBy, chargedTo, reachedAt }) {
      const url = reachedAt()
      const reason = `${approvalReason(tool)}: a person must approve each call`
      if (!identifies(url, isToldByKey))
        return { refused: `${reason}, and ${NOBODY_TOLD_APART}`, forOperator: `${reason}, and ${NOBODY_IDENTIFIED}` }
      const invocation = JSON.stringify(shown)
      if (new TextEncoder().encode(invocation).length > MAX_INVOCATION) {
        const tooLarge = `${reason}, and the arguments of this one are too large to be shown to one`
        const nowhere = `${new URL(url).origin}/authorizations/${APPROVAL}/start`
        return { challenge: { id: APPROVAL, url: nowhere, scopes: [], status: 'failed' }, reason: tooLarge }
      }
      const { principal, user: userId } = shown
      const owner = vaultName(
        userId === undefined ? { kind: 'principal', id: principal } : { kind: 'user', id: userId },
      )
      const user = userId === undefined ? {} : { userId }
      const call = { principal, requestedBy, chargedTo, ...user, tool: tool.id, invocation }
      const answer = await vaultOf(owner).claim(owner, { ...call, purpose: fingerprint, reason })
      if (answer === 'approved') return { approved: true }
      if ('unavailable' in answer) return { refused: answer.unavailable, forOperator: answer.unavailable }
      return { challenge: challengeOf(APPROVAL, answer.authorization, url), reason: answer.reason }
    },

    async find(id) {
      const found = await vaultOfId(id)?.find(id)
      return found && authorizationOf(found)
    },

    async changed(id, from, timeoutMs) {
      const found = await vaultOfId(id)?.changed(id, from, timeoutMs)
      return found && authorizationOf(found)
    },

    start: step,

    resume: step,

    async confirm(id, flow, userId) {
      return (await vaultOfId(id)?.confirm(id, flow, userId)) ?? GONE
    },

    async finish({ url, browser, callback }) {
      const [state, ...more] = new URL(url).searchParams.getAll('state')
      if (state === undefined || more.length > 0 || !isState(state)) return GONE
      const vault = vaultOfId(state)
      const found = await vault?.returning(state)
      if (!vault || !found) return GONE
      if (browser === undefined) return OTHER_BROWSER
      const provider = await providerFor(found.provider, found.tool, callback)
      return endedOf(await vault.finish({ url, browser: await sha256(browser), state }, provider))
    },

    async decide(id, visit) {
      const ended = await vaultOfId(id)?.decide(id, await hashed(visit))
      if (!ended) return GONE
      return 'location' in ended ? ended : endedOf(ended)
    },

    async list(userId) {
      const owner = vaultName({ kind: 'user', id: userId })
      return vaultOf(owner).list(owner)
    },

    async revoke(userId, provider, only = {}) {
      const owner = vaultName({ kind: 'user', id: userId })
      return vaultOf(owner).revoke(owner, userId, provider, only, await providers.find(provider))
    },
  }
}

/** What principals cause users' vaults to hold is counted in the principal's own. */
export function createCharge(namespace: DurableObjectNamespace<VaultObject>): VaultDeployment['charge'] {
  return (id, bytes) => {
    const owner = vaultName({ kind: 'principal', id })
    return reachableStub(() => namespace.get(namespace.idFromName(owner)), REACH).charge(owner, bytes)
  }
}

function vaultName(holder: Holder): string {
  return holder.kind === 'user' ? `user:${JSON.stringify(holder.id)}` : formatHolder(holder)
}

function challengeOf(
  id: string,
  { id: authorization, scopes, status }: Pick<StoredAuthorization, 'id' | 'scopes' | 'status'>,
  reachedAt: string,
): AuthorizationChallenge {
  const at = `${new URL(reachedAt).origin}/authorizations/${authorization}`
  return { id, authorization, url: `${at}/start`, check_url: at, scopes, status }
}

/** Vaults never see a browser's cookie. */
async function hashed<V extends Visit>(visit: V): Promise<V> {
  return { ...visit, browser: await sha256(visit.browser) }
}

function endedOf(ended: Ended<StoredAuthorization>): Ended {
  return ended.ok ? { ok: true, authorization: authorizationOf(ended.authorization) } : ended
}

function authorizationOf(stored: StoredAuthorization): Authorization {
  const { invocation: text, principal: _, ...rest } = stored
  if (text === undefined) return rest
  const invocation: ShownInvocation = parseTrusted(text)
  return { ...rest, invocation }
}
