/** The parts of `oidc-provider` that the tests use, because it ships no types. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  export interface Model {
    readonly jti: string
    readonly accountId: string
    readonly grantId: string
    readonly scope?: string
    destroy(): Promise<void>
  }

  interface ModelClass {
    find(id: string): Promise<Model | undefined>
  }

  export interface Grant {
    addOIDCScope(scope: string): void
    rejectOIDCScope(scope: string): void
    save(): Promise<string>
  }

  export interface Interaction {
    readonly uid: string
    readonly prompt: { readonly name: string; readonly details: { readonly missingOIDCScope?: readonly string[] } }
    readonly params: Readonly<Record<string, string | undefined>>
    readonly session?: { readonly accountId: string }
    readonly grantId?: string
  }

  export interface Context {
    status: number
    type: string
    body: unknown
    readonly path: string
    readonly oidc?: {
      readonly body?: Readonly<Record<string, string>>
      readonly client: object
      readonly params: Readonly<Record<string, string | undefined>>
    }
    readonly response: { get(name: string): string | undefined; remove(name: string): void }
  }

  export default class Provider {
    constructor(issuer: string, configuration: object)
    readonly AccessToken: ModelClass & {
      new (given: { accountId: string; client: object; scope: string; gty: string }): { save(): Promise<string> }
    }
    readonly RefreshToken: ModelClass
    readonly Grant: {
      new (given: { accountId: string; clientId: string }): Grant
      find(id: string): Promise<Grant | undefined>
    }
    registerGrantType(name: string, handler: (context: Context) => Promise<void>, parameters: readonly string[]): void
    callback(): (request: IncomingMessage, response: ServerResponse) => void
    use(middleware: (context: Context, next: () => Promise<void>) => Promise<void>): void
    on(event: string, listener: (token: Model) => void): void
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: object,
      options?: { readonly mergeWithLastSubmission: boolean },
    ): Promise<void>
  }
}
