import { createReloadPrincipal } from '../http/caller/reload-principal.ts'
import type { Deployment } from './deployment.ts'

export function composeReloadPrincipal({ config, stores, authentication }: Deployment) {
  return createReloadPrincipal({
    hasAdminKey: config.adminKey !== undefined,
    isOpen: config.access === 'open',
    findKey: stores.keys.findById,
    listAgents: stores.connect.list,
    loadPrincipal: authentication.sessions.loadPrincipal,
    findMembership: stores.access.findMembership,
    now: Date.now,
  })
}
