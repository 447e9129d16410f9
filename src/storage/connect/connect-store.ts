import { Admission } from '../../core/access/principal.ts'
import type { AgentStore } from '../../core/access/agent.ts'
import type { OAuthClientStore } from '../../core/access/oauth-client.ts'
import { reachableStub } from '../reachable-stub.ts'
import type { Connect } from './connect-object.ts'

export type ConnectStub = () => DurableObjectStub<Connect>

const REACH = { what: 'connected agents', waitMs: 10_000 }

export function connectStub(namespace: DurableObjectNamespace<Connect>): ConnectStub {
  return () => reachableStub(namespace.getByName('connect'), REACH)
}

export function createAgentStore(connect: ConnectStub): AgentStore {
  return {
    find: (origin, token) => connect().find(origin, token),
    list: (user) => connect().list(user),
    remove: (user, id) => connect().remove(user, id),
  }
}

export function createClientStore(connect: ConnectStub): OAuthClientStore {
  return {
    create: (origin, client) => connect().giveClient(origin, client),
    list: () => connect().clients(),
    remove: (id) => connect().removeClient(id),
  }
}

export interface AuthorizationServer extends Pick<Connect, 'asked' | 'letIn' | 'token' | 'register'> {
  /** Undefined for a client that nobody let in. */
  admit(clientId: string): Promise<Admission | undefined>
}

export function createAuthorizationServer(connect: ConnectStub): AuthorizationServer {
  return {
    admit: async (clientId) => ((await connect().isLetIn(clientId)) ? new Admission(clientId) : undefined),
    asked: async (request) => await connect().asked(request),
    letIn: async (request, agent) => await connect().letIn(request, agent),
    token: async (...given) => await connect().token(...given),
    register: async (...given) => await connect().register(...given),
  }
}
