import { FetchCapability } from '../../core/access/principal.ts'
import { createReliableStub } from '../reachable-stub.ts'
import type { Connect } from './connect-object.ts'

const REACH = { what: 'connected agents', waitMs: 10_000 }

export function connectStub(namespace: DurableObjectNamespace<Connect>): DurableObjectStub<Connect> {
  return createReliableStub(() => namespace.getByName('connect'), REACH)
}

export interface AuthorizationServer extends Pick<Connect, 'asked' | 'letIn' | 'token' | 'register'> {
  noteRequested(clientId: string, address: string | null): Promise<void>
  /** Undefined for a client that nobody let in. */
  admit(clientId: string): Promise<FetchCapability | undefined>
}

export function createAuthorizationServer(connect: DurableObjectStub<Connect>): AuthorizationServer {
  const { asked, letIn, token, register, noteRequested } = connect
  const admit = async (id: string) => ((await connect.hasConnectedAgent(id)) ? new FetchCapability(id) : undefined)
  return { asked, letIn, token, register, noteRequested, admit }
}
