import { exports, WorkerEntrypoint } from 'cloudflare:workers'
import type { LRUCache } from 'lru-cache'
import { createGuardedFetch, type GuardedFetchOptions } from '../../outbound/guarded-fetch.ts'
import { handleEgress, type EgressPolicy } from './egress.ts'

/** Receives every hop of a sandbox. Without `connect`, only HTTP leaves a sandbox, which cannot see the policy. */
export function defineEgress(reach: Required<Pick<GuardedFetchOptions, 'fetch' | 'traffic' | 'memory'>>) {
  return class extends WorkerEntrypoint<unknown, EgressPolicy> {
    override fetch(request: Request): Promise<Response> {
      const policy = this.ctx.props
      const guardedFetch = createGuardedFetch({ ...reach, allowHttpHosts: new Set(policy.allowHttpHosts) })
      return handleEgress(request, policy, guardedFetch, reach.memory)
    }
  }
}

/** The egress policies of isolates in other processes, by isolate id, for as long as a call may take. */
export type SandboxPolicies = LRUCache<string, EgressPolicy>

/** Receives requests of isolates in other processes. Nothing else can reach it. */
export function defineSandboxEgress(policies: SandboxPolicies) {
  return class extends WorkerEntrypoint {
    async request(id: string, request: Request): Promise<Response> {
      const policy = policies.get(id)
      if (!policy) throw new Error('No call of this isolate is under way')
      return exports.Egress({ props: policy }).fetch(request)
    }
  }
}
