type Payload = { grantId?: string; uid?: string; consumed?: number } & Record<string, unknown>

/** Stores a provider's data during a test. The provider's own store drops old entries once it has 1,000. */
export class MemoryStore {
  readonly #models = new Map<string, Map<string, Payload>>()

  /** Creates the storage of one model, in the shape that `oidc-provider` requires. */
  adapter(model: string) {
    const all = this.#model(model)
    return {
      async upsert(id: string, payload: Payload) {
        all.set(id, payload)
      },
      async find(id: string) {
        return all.get(id)
      },
      async findByUid(uid: string) {
        return [...all.values()].find((payload) => payload.uid === uid)
      },
      async findByUserCode() {
        return undefined
      },
      async consume(id: string) {
        const payload = all.get(id)
        if (payload) payload.consumed = Math.floor(Date.now() / 1_000)
      },
      async destroy(id: string) {
        all.delete(id)
      },
      revokeByGrantId: async (grantId: string) => this.forget((payload) => payload.grantId === grantId, [model]),
    }
  }

  /** Deletes the matching entries of some models, by default all. */
  forget(fits: (payload: Payload) => boolean, models: readonly string[] = [...this.#models.keys()]): void {
    for (const model of models) {
      const all = this.#model(model)
      for (const [id, payload] of all) if (fits(payload)) all.delete(id)
    }
  }

  #model(model: string): Map<string, Payload> {
    const known = this.#models.get(model)
    if (known) return known
    const fresh = new Map<string, Payload>()
    this.#models.set(model, fresh)
    return fresh
  }
}
