import { waitUntil } from 'cloudflare:workers'
import { FetchCapability, hasScope, SCOPES } from '../core/access/principal.ts'
import { UnreachableError } from '../core/failure/failure.ts'
import { findSubscriptionDenial, isByEarlierSecret } from '../core/event/subscription.ts'
import { createWebhooks } from '../outbound/webhook.ts'
import { narrowTo } from '../http/route/tool-view.ts'
import type { EventDelivery } from '../storage/events/delivery.ts'
import { outboundOptionsFor } from './bundled.ts'
import type { Deployment } from './deployment.ts'
import { composeReturningPrincipal } from './returning-principal.ts'

/** Callbacks are sent to only for subscribers, who were admitted. */
const CAPABILITY = new FetchCapability('events')

/** Gives the objects of sources their means to deliver. */
export function composeEventDelivery(deployment: Deployment): EventDelivery {
  const { config, stores } = deployment
  const findPrincipal = composeReturningPrincipal(deployment)
  return {
    sealer: stores.deploymentKeys.sealer('events'),
    post: createWebhooks(outboundOptionsFor(config), CAPABILITY),
    async mayReceive(subscriber, name) {
      const { principal, at: _, ...named } = subscriber
      const [found, source] = await Promise.all([findPrincipal(principal), stores.eventSources.find(name)])
      if (!found.ok && found.failure.type === 'unavailable') throw new UnreachableError(found.failure.message)
      if (!found.ok) return false
      const key = principal.kind === 'key' ? await stores.keys.findById(principal.id.slice('key:'.length)) : undefined
      if (key && isByEarlierSecret(subscriber, key, Date.now())) return false
      // A token of an agent may have fewer scopes than the agent
      const scopes = SCOPES.filter((scope) => hasScope(found.value, scope) && hasScope(principal, scope))
      const narrowed = await narrowTo({ ...found.value, scopes }, named, waitUntil, stores.registry)
      return narrowed.ok && !findSubscriptionDenial(narrowed.value, name, source)
    },
  }
}
