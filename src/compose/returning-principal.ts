import { createReturningPrincipal } from '../http/caller/returning-principal.ts'
import type { Deployment } from './deployment.ts'

export function composeReturningPrincipal({ config, stores, authentication }: Deployment) {
  return createReturningPrincipal({
    hasAdminKey: config.adminKey !== undefined,
    isOpen: config.access === 'open',
    findKey: stores.keys.findById,
    listAgents: stores.connect.list,
    loadPrincipal: authentication.sessions.loadPrincipal,
    findMembership: stores.access.findMembership,
    now: Date.now,
  })
}
