import { DurableObject } from 'cloudflare:workers'
import type { Agent } from '../../core/access/agent.ts'
import type { Asserted, AuthorizationRequest, OAuthServer, GivenClient } from './authorization-server.ts'

/** Apart from Access since strangers write here. `OAuthServer` is loaded with the first call. */
export class Connect extends DurableObject<unknown> {
  #server: OAuthServer | undefined

  async register(origin: string, body: string) {
    return (await this.#ready()).register(origin, body)
  }

  async token(origin: string, authorization: string | null, body: string, asserted?: Asserted) {
    return (await this.#ready()).token(origin, authorization, body, asserted)
  }

  async isLetIn(clientId: string) {
    return (await this.#ready()).isLetIn(clientId)
  }

  async asked(request: AuthorizationRequest) {
    return (await this.#ready()).asked(request)
  }

  async letIn(request: AuthorizationRequest, agent: Agent) {
    return (await this.#ready()).letIn(request, agent)
  }

  async find(origin: string, token: string) {
    return (await this.#ready()).find(origin, token)
  }

  async list(user: string) {
    return (await this.#ready()).list(user)
  }

  async remove(user: string, id: string) {
    return (await this.#ready()).remove(user, id)
  }

  async giveClient(origin: string, client: GivenClient) {
    return (await this.#ready()).giveClient(origin, client)
  }

  async clients() {
    return (await this.#ready()).clients()
  }

  async removeClient(id: string) {
    return (await this.#ready()).removeClient(id)
  }

  async #ready(): Promise<OAuthServer> {
    const { OAuthServer } = await import('./authorization-server.ts')
    // One for all requests: it orders those of the same agent
    return (this.#server ??= new OAuthServer(this.ctx))
  }
}
