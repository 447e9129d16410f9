import type { Agent, AgentStore, ListedAgent } from '../../core/access/agent.ts'
import { reached } from '../reached.ts'
import type { Connect } from './connect-object.ts'
import type { Asked, AuthorizationRequest, OAuthAnswer, Refused } from './connections.ts'

/** Gets a stub of the one Connect Durable Object. A stub belongs to the request that got it, so it is got each time. */
export type ConnectStub = () => DurableObjectStub<Connect>

const REACH = { what: 'connected agents', waitMs: 10_000 }

export function connectStub(namespace: DurableObjectNamespace<Connect>): ConnectStub {
  return () => reached(namespace.getByName('connect'), REACH)
}

/** The agents of a deployment, as one isolate reaches them: they are nowhere but in the Connect Durable Object. */
export function createAgentStore(connect: ConnectStub): AgentStore {
  return {
    async find(origin, token) {
      const found = await connect().find(origin, token)
      return found && { agent: agentOf(found.agent), expiresAt: found.expiresAt }
    },
    list: async (user) => (await connect().list(user)).map(agentOf),
    remove: (user, id) => connect().remove(user, id),
  }
}

/** What the Connect object does of OAuth, as its methods say. */
export interface AuthorizationServer {
  asked(request: AuthorizationRequest): Promise<Asked | Refused>
  letIn(request: AuthorizationRequest, agent: Agent): Promise<{ readonly ok: true; readonly to: string } | Refused>
  token(origin: string, authorization: string | null, body: string): Promise<OAuthAnswer>
  register(origin: string, body: string): Promise<OAuthAnswer>
}

/** The authorization server of a deployment, as one isolate reaches it. */
export function createAuthorizationServer(connect: ConnectStub): AuthorizationServer {
  return {
    asked: async (request) => await connect().asked(request),
    letIn: async (request, agent) => await connect().letIn(request, agent),
    token: async (...given) => await connect().token(...given),
    register: async (...given) => await connect().register(...given),
  }
}

function agentOf(text: string): Agent & ListedAgent {
  return JSON.parse(text)
}
