import type { FromSchema, JSONSchema } from 'json-schema-to-ts'
import type { ToolFailure } from './failure.ts'
import type { JsonObject } from './json.ts'
import type { Fetch, Signal } from './platform.ts'
import type { Requirements } from './tool.ts'

/**
 * The door through which tools under `tools/` are written: nothing else of Switchboard is theirs to import.
 *
 * A tool's path is its id: `tools/Calculator/Add.ts` at version 1.0.0 is `Calculator.Add@1.0.0`.
 */
type Declared = Partial<Requirements>

type SecretId<R> = R extends { readonly secrets: readonly (infer S)[] }
  ? S extends { readonly id: infer I extends string }
    ? I
    : never
  : never
type ProviderId<R> = R extends { readonly authorization: readonly (infer A)[] }
  ? A extends { readonly id: infer I extends string }
    ? I
    : never
  : never
type Output<O> = O extends null ? void : O extends JSONSchema ? FromSchema<O> : unknown

/** What a handler may use: nothing but what its tool declares. */
export interface ToolContext<R = Requirements> {
  readonly secrets: Readonly<Record<SecretId<R>, string>>
  /** The user's OAuth access token at a declared provider. */
  token(provider: ProviderId<R>): string
  readonly userId: R extends { readonly user_id: true } ? string : string | undefined
  /** Aborts at the deadline, and when the caller goes away. */
  readonly signal: Signal
  /** Every outgoing request goes through this guarded fetch: https to public hosts, redirects checked, bytes capped. */
  readonly fetch: Fetch
  /** Writes one line to the call's log. Secrets and tokens are redacted. */
  log(message: string): void
}

/** A failure that the tool foresaw, to be returned by its handler; a thrown error counts as a defect. */
export interface Failed {
  readonly failed: ToolFailure
}

export function failed(failure: ToolFailure): Failed {
  return { failed: failure }
}

export interface ToolDeclaration<I, O, R> {
  readonly version: string
  /** What models see; `Toolkit_Tool` when absent. */
  readonly name?: string
  readonly title?: string
  readonly description: string
  readonly input: I
  readonly output: O
  readonly requirements?: R
  readonly securityLevel?: number
  readonly annotations?: JsonObject
  readonly tags?: readonly string[]
  /** The call's deadline; 30,000 when absent, at most 300,000. */
  readonly timeoutMs?: number
  /** Input that passed the schema in, output that must pass its schema out. */
  handler(
    input: I extends JSONSchema ? FromSchema<I> : never,
    context: ToolContext<R>,
  ): Output<O> | Failed | Promise<Output<O> | Failed>
}

/** A declared tool, its types forgotten: what the bundle holds. */
export interface BundledTool extends Omit<ToolDeclaration<JsonObject, JsonObject | null, Declared>, 'handler'> {
  handler(input: Readonly<Record<string, unknown>>, context: ToolContext): unknown
}

/**
 * Declares a tool. The handler's types follow from the schemas and the requirements; the executor keeps their promise,
 * since it runs a handler only on input that passed the schema.
 */
export function tool<
  const I extends JSONSchema & JsonObject,
  const O extends (JSONSchema & JsonObject) | null,
  const R extends Declared = Record<never, never>,
>(declaration: ToolDeclaration<I, O, R>): BundledTool
export function tool(declaration: BundledTool): BundledTool {
  return declaration
}
