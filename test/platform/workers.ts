/** Stands in for the base classes of `cloudflare:workers` in this process. */
export { DurableObject } from '../simulation/durable-object.ts'

export class WorkerEntrypoint {
  protected readonly ctx: ExecutionContext
  protected readonly env: unknown

  constructor(ctx: ExecutionContext, env: unknown) {
    this.ctx = ctx
    this.env = env
  }
}

// Libraries read the Worker's configuration from it; the same as in `wrangler.toml`
Object.assign(globalThis, { Cloudflare: { compatibilityFlags: { global_fetch_strictly_public: true } } })

/** Holds the arguments of an entrypoint, which is created when it is needed. */
export const exports = { Egress: (context: Pick<ExecutionContext, 'props'>) => context }

export const tracing = {
  enterSpan: <T>(_name: string, work: (span: { setAttributes(attributes: object): void }) => T): T =>
    work({ setAttributes: () => undefined }),
}

export function waitUntil(work: Promise<unknown>): void {
  work.catch(() => undefined)
}
