/** Replaces the base class of `cloudflare:workers` for tests in Node. */
export class DurableObject<Env> {
  protected readonly ctx: DurableObjectState
  protected readonly env: Env

  constructor(ctx: DurableObjectState, env: Env) {
    this.ctx = ctx
    this.env = env
  }
}
