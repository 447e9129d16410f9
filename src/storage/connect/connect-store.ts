import { Admission } from '../../core/access/principal.ts'
import type { Agent, AgentStore, ListedAgent } from '../../core/access/agent.ts'
import { AUTH_METHODS, type OAuthClient, type OAuthClientStore } from '../../core/access/oauth-client.ts'
import { reachableStub } from '../reachable-stub.ts'
import type { Client } from './client-rows.ts'
import type { Connect } from './connect-object.ts'
import type { OAuthServer } from './authorization-server.ts'

export type ConnectStub = () => DurableObjectStub<Connect>

const REACH = { what: 'connected agents', waitMs: 10_000 }

export function connectStub(namespace: DurableObjectNamespace<Connect>): ConnectStub {
  return () => reachableStub(namespace.getByName('connect'), REACH)
}

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

export function createClientStore(connect: ConnectStub): OAuthClientStore {
  return {
    async create(origin, { name, redirect_uris, token_endpoint_auth_method }) {
      const given = {
        clientName: name,
        redirectUris: [...redirect_uris],
        tokenEndpointAuthMethod: token_endpoint_auth_method,
      }
      const made = await connect().giveClient(origin, given)
      return { ...clientOf(made), ...(made.clientSecret === undefined ? {} : { client_secret: made.clientSecret }) }
    },
    list: async () => (await connect().clients()).map((text) => clientOf(JSON.parse(text))),
    remove: async (id) => await connect().removeClient(id),
  }
}

export interface AuthorizationServer extends Pick<OAuthServer, 'asked' | 'letIn' | 'token' | 'register'> {
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

function agentOf(text: string): Agent & ListedAgent {
  return JSON.parse(text)
}

type KeptClient = Pick<
  Client,
  'clientId' | 'clientName' | 'redirectUris' | 'tokenEndpointAuthMethod' | 'registrationDate' | 'clientSecret'
>

function clientOf(client: KeptClient): OAuthClient {
  const { clientId, clientName = '', redirectUris, tokenEndpointAuthMethod, registrationDate = 0 } = client
  return {
    client_id: clientId,
    name: clientName,
    redirect_uris: redirectUris,
    token_endpoint_auth_method: AUTH_METHODS.find((method) => method === tokenEndpointAuthMethod) ?? 'none',
    created_at: new Date(registrationDate * 1_000).toISOString(),
  }
}
