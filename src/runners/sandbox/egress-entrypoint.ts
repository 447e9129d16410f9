import { WorkerEntrypoint } from 'cloudflare:workers'
import { createGuardedFetch, type GuardedFetchOptions } from '../../outbound/guarded-fetch.ts'
import { answerEgress, type EgressPolicy, type EgressRooms } from './egress.ts'

/** Every hop of a sandbox comes here. Without `connect`, nothing but HTTP leaves a sandbox, which cannot see the policy. */
export function defineEgress(reach: Required<Pick<GuardedFetchOptions, 'fetch' | 'traffic'>> & EgressRooms) {
  return class extends WorkerEntrypoint<unknown, EgressPolicy> {
    override fetch(request: Request): Promise<Response> {
      const policy = this.ctx.props
      const guardedFetch = createGuardedFetch({ ...reach, allowHttpHosts: new Set(policy.allowHttpHosts) })
      return answerEgress(request, policy, guardedFetch, reach)
    }
  }
}
