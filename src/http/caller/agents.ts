import { type Agent, type AgentStore, principalOfAgent } from '../../core/access/agent.ts'
import type { Principal } from '../../core/access/principal.ts'
import { fail, ok, type Result } from '../../core/failure/failure.ts'
import { isTrustworthy } from './loopback.ts'
import type { Sessions } from './sessions.ts'
import { createVerdicts, type Judgement, type MayLookUp, principalOf } from './verdicts.ts'

interface AgentsOptions {
  readonly store: AgentStore
  readonly holderOf: Sessions['holderOf']
  readonly now: () => number
}

export type Agents = ReturnType<typeof createAgents>

const TOKEN = /^bearer +([\w-]{22}:[\w-]{16}:[\w-]{32})$/i

export const NO_AGENT_TOKEN = fail({
  type: 'unauthenticated',
  reason: "Here agents sign people in by OAuth 2.1, as 'resource_metadata' says; keys are for '/mcp'",
})
const BAD_TOKEN = fail({ type: 'unauthenticated', reason: 'The access token is not known, has expired or was revoked' })

/** An agent may never do more than the user who let it act may do now. */
export function createAgents({ store, holderOf, now }: AgentsOptions) {
  const verdicts = createVerdicts(now, check)

  async function check(
    credential: string,
    mayLookUp?: MayLookUp,
  ): Promise<Judgement<{ principal: Principal; agent: Agent }>> {
    const refusal = mayLookUp?.()
    if (refusal) return { result: refusal }
    const at = credential.indexOf(' ')
    const [origin, token] = [credential.slice(0, at), credential.slice(at + 1)]
    const place = URL.parse(origin)
    // No token is made for such a place, whatever host a request names
    if (!place || !isTrustworthy(place)) return { result: BAD_TOKEN }
    try {
      const found = await store.find(origin, token)
      if (!found || !(now() < found.expiresAt)) return { result: BAD_TOKEN }
      const { agent } = found
      const { result, expiresAt = Infinity } = await holderOf(agent.by)
      return {
        result: result.ok ? ok({ agent, principal: principalOfAgent(result.value, agent) }) : result,
        expiresAt: Math.min(found.expiresAt, expiresAt),
      }
    } catch (error) {
      console.error('Cannot look up an agent', error)
      return { result: fail({ type: 'unavailable', message: 'Cannot check the access token right now' }) }
    }
  }

  function authenticate(request: Request, mayLookUp?: MayLookUp): Result<Principal> | Promise<Result<Principal>> {
    const header = request.headers.get('authorization')
    if (header === null) return NO_AGENT_TOKEN
    const token = TOKEN.exec(header)?.[1]
    if (token === undefined) return NO_AGENT_TOKEN
    // A token counts only at the address that it was made for
    const credential = `${originOf(request.url)} ${token}`
    const found = verdicts.of(credential, mayLookUp)
    return found instanceof Promise ? found.then(principalOf) : principalOf(found)
  }

  return {
    authenticate,

    list: store.list,

    async remove(user: string, id: string): Promise<boolean> {
      const removed = await store.remove(user, id)
      // Even if it was removed elsewhere, a verdict may live on here
      verdicts.forgetWhere(({ agent }) => agent.id === id && agent.user === user)
      return removed
    },

    forgetAgent(id: string): void {
      verdicts.forgetWhere(({ agent }) => agent.id === id)
    },

    forget: verdicts.forget,

    forgetKey(id: string): void {
      verdicts.forgetWhere(({ agent }) => agent.owner === `key:${id}`)
    },
  }
}

/** Read from the text, since parsing a URL costs each call. */
export function originOf(url: string): string {
  return url.slice(0, url.indexOf('/', url.indexOf('://') + 3))
}
