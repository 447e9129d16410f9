import { patternCovers } from '../../core/tool/tool-pattern.ts'
import type { Approvals } from '../../core/consent/approvals.ts'
import {
  APPROVAL,
  type Authorization,
  type Authorizations,
  type Challenge,
  type UserGrants,
} from '../../core/consent/authorization.ts'
import type { JsonObject } from '../../core/tool/json.ts'
import type { Provider, Providers } from '../../core/consent/provider.ts'
import type { RequiredToken, TokenResult, UserTokens } from '../../core/call/requirements.ts'
import { parseToolId } from '../../core/tool/tool-id.ts'
import { sha256 } from '../sha256.ts'
import { isState, objectOf } from './authorization-id.ts'
import type { AuthorizationText } from './authorizations.ts'
import { NO_KEYS } from './grants.ts'
import type { Asked, VaultObject } from './vault-object.ts'

export interface VaultOptions {
  readonly namespace: DurableObjectNamespace<VaultObject>
  readonly providers: Providers
  /** The variables that connect a well-known provider; undefined for others. */
  readonly variablesOf: (provider: string) => { readonly clientId: string; readonly clientSecret: string } | undefined
  /** Whether grants may be kept where this deployment was reached by a URL. */
  readonly keepsGrants: (url: string) => boolean
}

const GONE = { ok: false, why: 'gone', message: 'This link leads nowhere any more. Have your agent ask again' } as const
const NO_BROWSER = {
  ok: false,
  why: 'other-browser',
  message: 'This was begun in another browser, and can only be ended there',
} as const
/** Bytes of the input of a call that a person can be asked to approve. */
const MAX_INPUT = 1_000_000

/**
 * The vaults of all users, each a Durable Object of its own: their grants, and what they are asked. A call for no user is
 * asked about in its principal's. An id leads to its vault by itself; one that was made up leads nowhere.
 */
export function createVault(options: VaultOptions): UserTokens & Approvals & Authorizations & UserGrants {
  const { namespace, providers, variablesOf, keepsGrants } = options

  /** A stub belongs to the request that got it, so it is got each time. */
  function vaultOf(owner: string): DurableObjectStub<VaultObject> {
    return namespace.get(namespace.idFromName(owner))
  }

  function vaultOfId(id: string): DurableObjectStub<VaultObject> | undefined {
    const object = objectOf(namespace, id)
    return object && namespace.get(object)
  }

  /** The provider, if this tool may act with its grants where this was reached; else why it may not. */
  async function providerFor(id: string, tool: string, url: string): Promise<Provider | string> {
    const provider = await providers.find(id)
    if (!provider) return notConnected(id)
    const name = parseToolId(tool)
    if (provider.tools && !provider.tools.some((pattern) => name && patternCovers(pattern, name))) {
      return `The provider '${id}' is not for '${tool}': an administrator says in its 'tools' which may act with its grants`
    }
    return keepsGrants(url) ? provider : NO_KEYS
  }

  function notConnected(id: string): string {
    const variables = variablesOf(id)
    const set = variables ? `set ${variables.clientId} and ${variables.clientSecret}, or ` : ''
    const put = `an administrator can ${set}PUT /providers/${encodeURIComponent(id.toWellFormed())}`
    return `No provider '${id}' is connected: ${put}; or send a token as context.authorization [{"id": "${id}", "token": …}]`
  }

  async function granted(asking: RequiredToken, refused?: { token: string; final: boolean }): Promise<TokenResult> {
    const { userId, requirement, tool, reachedAt } = asking
    const url = reachedAt()
    const owner = userOwner(userId)
    const asked = {
      userId,
      providerId: requirement.id,
      provider: await providerFor(requirement.id, tool.id, url),
      scopes: [...new Set(requirement.oauth2?.scopes ?? [])],
      tool: tool.id,
      ...(refused ? { refused } : {}),
    }
    const answer = await patiently(async () => vaultOf(owner).token(owner, asked))
    if ('token' in answer) return { token: answer.token }
    if (!('authorization' in answer)) return answer
    return { challenge: challengeOf(requirement.id, answer, url), reason: answer.reason }
  }

  /** The vault of an authorization, and its provider as it is now. */
  async function stepOf(id: string, url: string) {
    const vault = vaultOfId(id)
    const found = await vault?.find(id)
    if (!vault || !found) return undefined
    const { kind, provider, tool } = found
    return { vault, provider: kind === 'grant' ? await providerFor(provider, tool, url) : APPROVAL }
  }

  return {
    tokenFor: (asking) => granted(asking),
    renew: (asking, refused, final) => granted(asking, { token: refused, final }),

    async claim({ principal, userId, tool, input, reachedAt }) {
      const url = reachedAt()
      const reason = `'${tool.id}' has security level ${tool.securityLevel}: a person must approve each call`
      const text = canonicalText(input)
      if (new TextEncoder().encode(text).length > MAX_INPUT) {
        const tooLarge = `${reason}, and the arguments of this one are too large to be shown to one`
        return { challenge: { ...nowhere(url), scopes: [], status: 'failed' }, reason: tooLarge }
      }
      const owner = userId === undefined ? JSON.stringify(['principal', principal]) : userOwner(userId)
      const answer = await vaultOf(owner).claim(owner, {
        ...(userId === undefined ? {} : { userId }),
        tool: tool.id,
        binding: await sha256(JSON.stringify([principal, userId ?? null, tool.id, tool.digest, text])),
        input: text,
        reason,
      })
      if (answer === 'approved') return { approved: true }
      return { challenge: challengeOf(APPROVAL, answer, url), reason: answer.reason }
    },

    async find(id) {
      return read(await patiently(async () => vaultOfId(id)?.find(id)))
    },

    async changed(id, from, timeoutMs) {
      return read(await patiently(async () => vaultOfId(id)?.changed(id, from, timeoutMs)))
    },

    async start(id, { browser, callback }) {
      const step = await stepOf(id, callback)
      return step ? step.vault.start(id, { browser: await sha256(browser), callback }, step.provider) : GONE
    },

    async confirm(id, flow, userId) {
      return (await vaultOfId(id)?.confirm(id, flow, userId)) ?? GONE
    },

    async resume(id, { browser, callback, proof }) {
      const step = await stepOf(id, callback)
      return step ? step.vault.resume(id, { browser: await sha256(browser), callback, proof }, step.provider) : GONE
    },

    async finish({ url, browser, callback }) {
      const [state, ...more] = new URL(url).searchParams.getAll('state')
      if (state === undefined || more.length > 0 || !isState(state)) return GONE
      const vault = vaultOfId(state)
      const found = await vault?.returning(state)
      if (!vault || !found) return GONE
      if (browser === undefined) return NO_BROWSER
      const provider = await providerFor(found.provider, found.tool, callback)
      const ended = await vault.finish({ url, browser: await sha256(browser), state }, provider)
      return ended.ok ? { ok: true, authorization: authorizationOf(ended.authorization) } : ended
    },

    async decide(id, { browser, callback, approve }) {
      const ended = await vaultOfId(id)?.decide(id, { browser: await sha256(browser), callback, approve })
      if (!ended) return GONE
      return 'authorization' in ended ? { ok: true, authorization: authorizationOf(ended.authorization) } : ended
    },

    async list(userId) {
      const owner = userOwner(userId)
      return patiently(async () => vaultOf(owner).list(owner))
    },

    async revoke(userId, provider) {
      const owner = userOwner(userId)
      return vaultOf(owner).revoke(owner, userId, provider, (await providers.find(provider)) ?? null)
    },
  }
}

/** The name of a user's vault. As JSON, since the platform takes lone surrogates in a name for one another. */
function userOwner(userId: string): string {
  return `user:${JSON.stringify(userId)}`
}

function challengeOf(id: string, { authorization }: Asked, reachedAt: string): Challenge {
  const at = `${new URL(reachedAt).origin}/authorizations/${authorization.id}`
  const { scopes, status } = authorization
  return { id, authorization: authorization.id, url: `${at}/start`, check_url: at, scopes, status }
}

function nowhere(reachedAt: string): Pick<Challenge, 'id' | 'url'> {
  return { id: APPROVAL, url: `${new URL(reachedAt).origin}/authorizations/${APPROVAL}/start` }
}

function read(text: AuthorizationText | null | undefined): Authorization | undefined {
  return text ? authorizationOf(text) : undefined
}

function authorizationOf({ input, ...rest }: AuthorizationText): Authorization {
  if (input === undefined) return rest
  const value: JsonObject = JSON.parse(input)
  return { ...rest, input: value }
}

/** JSON with its properties in order, so that the same input has the same text. Unlike RFC 8785 it takes any text. */
function canonicalText(input: JsonObject): string {
  return JSON.stringify(input, (_, value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  })
}

/** Asks once more where a vault moved or was deployed anew meanwhile: what it had stored is still there. */
async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof Error && 'retryable' in error && error.retryable === true) return ask()
    throw error
  }
}
