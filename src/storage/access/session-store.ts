import type { SessionStore } from '../../core/access/session.ts'
import type { AccessStub } from './access-object.ts'

export function createSessionStore(access: AccessStub): SessionStore {
  return {
    create: (session, hash) => access().createSession(session, hash),
    find: (hash) => access().session(hash),
    list: (owner) => access().sessions(owner),
    remove: (id, owner) => access().removeSession(id, owner),
  }
}
