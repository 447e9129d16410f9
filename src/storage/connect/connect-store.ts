import { FetchCapability } from '../../core/access/principal.ts'
import { createReliableStub } from '../reachable-stub.ts'
import type { Connect } from './connect-object.ts'

const REACH = { what: 'connected agents', waitMs: 10_000 }

export function connectStub(namespace: DurableObjectNamespace<Connect>): DurableObjectStub<Connect> {
  return createReliableStub(() => namespace.getByName('connect'), REACH)
}

export interface AuthorizationServer extends Pick<
  Connect,
  'readAuthorizationRequest' | 'authorizeAgent' | 'token' | 'register'
> {
  noteRequested(clientId: string, address: string | null): Promise<void>
  /** Undefined if no one has approved the client. `clientId` is the URL of the document that describes the client. */
  admit(clientId: string): Promise<FetchCapability | undefined>
}

export function createAuthorizationServer(connect: DurableObjectStub<Connect>): AuthorizationServer {
  const { readAuthorizationRequest, authorizeAgent, token, register, noteRequested } = connect
  const admit = async (id: string) => ((await connect.isApprovedDocument(id)) ? new FetchCapability(id) : undefined)
  return { readAuthorizationRequest, authorizeAgent, token, register, noteRequested, admit }
}
