/** What tests in Node get for `cloudflare:workers`: of the platform's base class, what its own does. */
export class DurableObject<Env> {
  protected readonly ctx: DurableObjectState
  protected readonly env: Env

  constructor(ctx: DurableObjectState, env: Env) {
    this.ctx = ctx
    this.env = env
  }
}
