import { WorkerEntrypoint } from 'cloudflare:workers'
import { createGuardedFetch } from '../../outbound/guarded-fetch.ts'
import { answerEgress } from './gateway.ts'
import type { EgressPolicy } from './policy.ts'

/**
 * The entrypoint that takes every request a sandbox sends, each hop of a redirect too. Its properties are the policy,
 * which the sandbox cannot see. It has no `connect`, so nothing but HTTP leaves a sandbox.
 */
export class Egress extends WorkerEntrypoint<unknown, EgressPolicy> {
  override fetch(request: Request): Promise<Response> {
    const policy = this.ctx.props
    const guardedFetch = createGuardedFetch({
      fetch: (...given) => fetch(...given),
      allowHttpHosts: new Set(policy.allowHttpHosts),
    })
    return answerEgress(request, policy, guardedFetch)
  }
}
