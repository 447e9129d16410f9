/** The bases that Workers import from `cloudflare:workers`, in this process. */
export { DurableObject } from '../simulation/durable-object.ts'

export class WorkerEntrypoint {
  protected readonly ctx: ExecutionContext
  protected readonly env: unknown

  constructor(ctx: ExecutionContext, env: unknown) {
    this.ctx = ctx
    this.env = env
  }
}

// Libraries read of it how Workers are configured, as `wrangler.toml` has it
Object.assign(globalThis, { Cloudflare: { compatibilityFlags: { global_fetch_strictly_public: true } } })

/** What an entrypoint is made with: whoever holds it makes it once it is needed. */
export const exports = { Egress: (context: Pick<ExecutionContext, 'props'>) => context }

export const tracing = {
  enterSpan: <T>(_name: string, work: (span: { setAttributes(attributes: object): void }) => T): T =>
    work({ setAttributes: () => undefined }),
}

export function waitUntil(work: Promise<unknown>): void {
  work.catch(() => undefined)
}
