import { WorkerEntrypoint } from 'cloudflare:workers'
import { createGuardedFetch } from '../../outbound/guarded-fetch.ts'
import type { Traffic } from '../../outbound/traffic.ts'
import { answerEgress, type EgressPolicy } from './egress.ts'

/** Every hop of a sandbox comes here. Without `connect`, nothing but HTTP leaves a sandbox, which cannot see the policy. */
export function defineEgress(traffic: Traffic) {
  return class extends WorkerEntrypoint<unknown, EgressPolicy> {
    override fetch(request: Request): Promise<Response> {
      const policy = this.ctx.props
      const guardedFetch = createGuardedFetch({
        fetch: (...given) => fetch(...given),
        allowHttpHosts: new Set(policy.allowHttpHosts),
        traffic,
      })
      return answerEgress(request, policy, guardedFetch)
    }
  }
}
