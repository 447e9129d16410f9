import { DurableObject } from 'cloudflare:workers'
import { createTables, deploymentSecret } from './tables.ts'

/**
 * The Access Durable Object, of which a deployment has one: what guards the deployment. It is apart from the registry, so
 * that nothing which publishers do can keep an administrator from it.
 */
export class Access extends DurableObject<object> {
  readonly #sql: SqlStorage

  constructor(state: DurableObjectState, env: object) {
    super(state, env)
    this.#sql = state.storage.sql
    createTables(this.#sql)
  }

  /** What the deployment's keys come of. It is stored before anybody gets it, and never changes. */
  deploymentSecret(): string {
    return deploymentSecret(this.#sql)
  }
}

/** Gets a stub of the one Access Durable Object. A stub belongs to the request that got it, so it is got each time. */
export type AccessStub = () => Pick<DurableObjectStub<Access>, 'deploymentSecret'>

export function accessStub(namespace: DurableObjectNamespace<Access>): AccessStub {
  return () => namespace.getByName('access')
}
