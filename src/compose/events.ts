import { waitUntil } from 'cloudflare:workers'
import { FetchCapability, hasScope, SCOPES } from '../core/access/principal.ts'
import { UnreachableError } from '../core/failure/failure.ts'
import { findSubscriptionDenial, isByEarlierSecret } from '../core/event/subscription.ts'
import { createWebhooks } from '../outbound/webhook.ts'
import { createReloadPrincipal } from '../http/caller/reload-principal.ts'
import { narrowTo } from '../http/route/tool-view.ts'
import type { EventDelivery } from '../storage/events/delivery.ts'
import { outboundOptionsFor } from './bundled.ts'
import type { Deployment } from './deployment.ts'

/** Requests to callbacks are made only for subscribers, who were authorized. */
const CAPABILITY = new FetchCapability('events')

/** Connects the `Events` objects to what delivery needs. */
export function composeEventDelivery(deployment: Deployment): EventDelivery {
  const { config, stores } = deployment
  const findPrincipal = createReloadPrincipal(deployment)
  return {
    sealer: stores.deploymentKeys.sealer('events'),
    post: createWebhooks(outboundOptionsFor(config), CAPABILITY),
    async mayReceive(subscriber, name) {
      const { principal, at: _, ...viewNames } = subscriber
      const [currentPrincipal, source] = await Promise.all([findPrincipal(principal), stores.eventSources.find(name)])
      if (!currentPrincipal.ok && currentPrincipal.failure.type === 'unavailable')
        throw new UnreachableError(currentPrincipal.failure.message)
      if (!currentPrincipal.ok) return false
      const key = principal.kind === 'key' ? await stores.keys.findById(principal.id.slice('key:'.length)) : undefined
      if (key && isByEarlierSecret(subscriber, key, Date.now())) return false
      // An agent's token may have fewer scopes than the agent
      const scopes = SCOPES.filter((scope) => hasScope(currentPrincipal.value, scope) && hasScope(principal, scope))
      const narrowedPrincipal = await narrowTo(
        { ...currentPrincipal.value, scopes },
        viewNames,
        waitUntil,
        stores.registry,
      )
      return narrowedPrincipal.ok && !findSubscriptionDenial(narrowedPrincipal.value, name, source)
    },
  }
}
