import type { Answer } from '../json.ts'
import { type RunningServer, startApp } from '../server.ts'

const ADMIN_KEY = 'the-administrator-of-this-test'
export const ADMIN = { authorization: `Bearer ${ADMIN_KEY}` }
export const CORE = 'urn:ietf:params:scim:schemas:core:2.0'
export const MESSAGES = 'urn:ietf:params:scim:api:messages:2.0'

/** A deployment, and a directory that has a key of the scope `scim`. */
export interface Directory {
  readonly server: RunningServer
  readonly headers: Readonly<Record<string, string>>
  send(method: string, path: string, body?: unknown, type?: string): Promise<Answer>
}

export async function startDirectory(): Promise<Directory> {
  const server = await startApp({ vars: { ACCESS: 'keys', ADMIN_KEY } })
  const key = await server.json('POST', '/keys', { name: 'a directory', scopes: ['scim'] }, ADMIN)
  const headers = { authorization: `Bearer ${key.body.key}` }
  return {
    server,
    headers,
    send: (method, path, body, type = 'application/scim+json') =>
      server.json(method, `/scim/v2${path}`, body, { ...headers, 'content-type': type }),
  }
}

export const patch = (...Operations: readonly object[]) => ({ schemas: [`${MESSAGES}:PatchOp`], Operations })
