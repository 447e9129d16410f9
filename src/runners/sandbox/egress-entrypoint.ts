import { exports, WorkerEntrypoint } from 'cloudflare:workers'
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

export type PolicyStore = ReturnType<typeof createPolicyStore>

/** How isolates in other processes may leave, by their ids, for as long as a call of them may take. */
export function createPolicyStore(now: () => number) {
  const policies = new Map<string, { readonly policy: EgressPolicy; readonly until: number }>()
  return {
    keep(id: string, policy: EgressPolicy): void {
      if (policies.size >= SWEPT_FROM) {
        for (const [each, { until }] of policies) if (until < now()) policies.delete(each)
      }
      policies.set(id, { policy, until: now() + policy.timeoutMs + LEAVING_MS })
    },
    find(id: string): EgressPolicy | undefined {
      const found = policies.get(id)
      return found && found.until >= now() ? found.policy : undefined
    },
  }
}

const SWEPT_FROM = 1_000
/** A call may have to wait before it begins. */
const LEAVING_MS = 60_000

/** Where requests of isolates in other processes arrive; nothing else has a way to it. */
export function defineSandboxEgress(policies: PolicyStore) {
  return class extends WorkerEntrypoint {
    async request(id: string, request: Request): Promise<Response> {
      const policy = policies.find(id)
      if (!policy) throw new Error('No call of this isolate is under way')
      return exports.Egress({ props: policy }).fetch(request)
    }
  }
}
