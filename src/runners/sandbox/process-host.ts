/** The only Worker in a sandbox process. Loads and calls the isolates that `process-runner.ts` sends. */
import { WorkerEntrypoint } from 'cloudflare:workers'
import type { IsolateCode, SandboxEntrypoint } from './sandbox.ts'

interface HostEnv {
  readonly LOADER: WorkerLoader
  /** `SandboxEgress` in the process that answers callers. */
  readonly EGRESS: { request(id: string, request: Request): Promise<Response> }
}

interface HostContext {
  readonly exports: { HostEgress(options: { readonly props: { readonly id: string } }): Fetcher }
}

interface HostedIsolate {
  readonly id: string
  readonly isKept: boolean
  readonly hasEgress: boolean
}

export default class SandboxHost extends WorkerEntrypoint<HostEnv> {
  /** The watchdog sends its checks here. */
  override fetch(): Response {
    return new Response('alive')
  }

  async run(
    { id, isKept, hasEgress }: HostedIsolate,
    load: () => Promise<IsolateCode>,
    args: readonly unknown[],
  ): Promise<unknown> {
    const { exports }: HostContext = Object(this.ctx)
    const globalOutbound = hasEgress ? exports.HostEgress({ props: { id } }) : null
    const loadWithEgress = async () => ({ ...(await load()), globalOutbound })
    const { LOADER } = this.env
    const worker = isKept ? LOADER.get(id, loadWithEgress) : LOADER.load(await loadWithEgress())
    return worker.getEntrypoint<SandboxEntrypoint>().run(...args)
  }
}

export class HostEgress extends WorkerEntrypoint<HostEnv, { readonly id: string }> {
  override fetch(request: Request): Promise<Response> {
    return this.env.EGRESS.request(this.ctx.props.id, request)
  }
}
