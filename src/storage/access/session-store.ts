import type { Session, SessionStore } from '../../core/access/session.ts'
import type { AccessStub } from './access-object.ts'

export function createSessionStore(access: AccessStub): SessionStore {
  return {
    create: (session, hash) => access().createSession(session, hash),
    async find(hash) {
      const text = await access().session(hash)
      return text === undefined ? undefined : sessionOf(text)
    },
    list: async (owner) => (await access().sessions(owner)).map(sessionOf),
    remove: (id, owner) => access().removeSession(id, owner),
  }
}

function sessionOf(text: string): Session {
  return JSON.parse(text)
}
