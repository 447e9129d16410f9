import type { FromSchema, JSONSchema } from 'json-schema-to-ts'
import type { Artifact, Content, InputRequests, InputResponses, ToolFailure } from './content.ts'
import { isJsonObject, isObject, type Json, type JsonObject } from './json.ts'
import type { Fetch, Signal } from './platform.ts'
import type { Requirements, TaskSupport } from './tool.ts'

type Declared = Partial<Requirements>

type RequirementIds<R, K extends keyof Requirements> = R extends { readonly [P in K]: readonly (infer Requirement)[] }
  ? Requirement extends { readonly id: infer I extends string }
    ? I
    : never
  : never
/** Removes the index signature, so that a mistyped parameter is an error even if the input is open. */
type Input<I> = I extends { readonly additionalProperties: unknown } | { readonly patternProperties: unknown }
  ? Described<I>
  : Named<Described<I>>
type Described<S> = S extends JSONSchema ? FromSchema<S> : never
type Named<T> = T extends unknown ? { [K in keyof T as string extends K ? never : K]: T[K] } : never
type Output<O> = O extends null ? void : O extends JSONSchema ? FromSchema<O> : unknown
type Returned<O> = Output<O> | OutputWithContent<Output<O>> | InputRequired | ToolFailureResult

export interface ToolContext<R = Requirements> {
  readonly secrets: Readonly<Record<RequirementIds<R, 'secrets'>, string>>
  /** Returns the user's OAuth access token at a declared provider: the new one after `fetch` had to renew it. */
  token(provider: RequirementIds<R, 'authorization'>): string
  readonly userId: R extends { readonly user_id: true } ? string : string | undefined
  readonly userInfo?: JsonObject | undefined
  readonly signal: Signal
  /** Allows only https to the tool's `hosts`. Redirects are checked and bytes limited. */
  readonly fetch: Fetch
  /** Writes one line to the call's log. Secrets and tokens are redacted. */
  log(message: string): void
  /** Reports progress to the caller. `progress` must increase with each report. */
  progress(progress: number, total?: number, message?: string): void
  readonly answers: InputResponses | undefined
}

export interface ToolFailureResult {
  readonly failed: ToolFailure
}

export function failed(failure: ToolFailure): ToolFailureResult {
  return { failed: failure }
}

/** A symbol, so that no output of a tool can be mistaken for it. */
export const extras = Symbol('more than a value')

export interface OutputWithContent<V> {
  readonly [extras]: { readonly value: V; readonly content?: readonly Content[]; readonly artifact?: Artifact }
}

export interface InputRequired {
  readonly [extras]: { readonly inputRequests: InputRequests }
}

/** Returns content with a value, which must match the output schema. Dialects without content return the value. */
export function content(blocks: readonly Content[]): OutputWithContent<void>
export function content<const V>(blocks: readonly Content[], value: V): OutputWithContent<V>
export function content(blocks: readonly Content[], value?: unknown): OutputWithContent<unknown> {
  return { [extras]: { value, content: blocks } }
}

/** Returns a large output that is stored at a URL. The value, if any, is for dialects without artifacts. */
export function artifact(place: ArtifactPlace): OutputWithContent<void>
export function artifact<const V>(place: ArtifactPlace, value: V): OutputWithContent<V>
export function artifact({ description, ...place }: ArtifactPlace, value?: unknown): OutputWithContent<unknown> {
  return { [extras]: { value, artifact: { ...place, meta: { description } } } }
}

export interface ArtifactPlace extends Omit<Artifact, 'meta'> {
  readonly description: string
}

export function ask(requests: InputRequests['requests'], state?: Json): InputRequired {
  return { [extras]: { inputRequests: state === undefined ? { requests } : { requests, state } } }
}

export function accepted(answer: Json | undefined): JsonObject | undefined {
  if (!isObject(answer) || answer.action !== 'accept') return undefined
  return isJsonObject(answer.content) ? answer.content : undefined
}

export interface ToolDeclaration<I, O, R> {
  readonly version: string
  readonly name?: string
  readonly title?: string
  readonly description: string
  readonly input: I
  readonly output: O
  readonly requirements?: R
  readonly securityLevel?: number
  readonly annotations?: JsonObject
  /** Runs the tool as a task for MCP clients that support tasks. With `required`, other MCP 2026-07-28 clients are refused. */
  readonly taskSupport?: TaskSupport
  readonly tags?: readonly string[]
  readonly mayGiveArtifact?: boolean
  /** Served only if `DEMO_TOOLS` says so. Otherwise, its name is free for published tools. */
  readonly isDemo?: boolean | undefined
  /** Hosts that `fetch` may contact, as `host` or `host:port`. If absent: any public host, or none for a tool with tokens. */
  readonly hosts?: readonly string[] | undefined
  /** Milliseconds: 30,000 by default, at most 300,000. */
  readonly timeoutMs?: number
  /** HTML shown beside the output in a frame without an origin; `csp` is what it may load (MCP Apps, `_meta.ui`). */
  readonly page?: { readonly html: string; readonly csp?: JsonObject; readonly prefersBorder?: boolean }
  /** Who sees the tool: models, pages of its toolkit, or by default both. */
  readonly visibility?: readonly ('model' | 'app')[]
  handler(input: Input<I>, context: ToolContext<R>): Returned<O> | Promise<Returned<O>>
}

export interface BundledTool extends Omit<ToolDeclaration<JsonObject, JsonObject | null, Declared>, 'handler'> {
  handler(input: Readonly<Record<string, unknown>>, context: ToolContext): unknown
}

/** Declares a tool. Its path is its id: `tools/Calculator/Add.ts` at version 1.0.0 is `Calculator.Add@1.0.0`. */
export function defineTool<
  const I extends JSONSchema & JsonObject,
  const O extends (JSONSchema & JsonObject) | null,
  const R extends Declared = Record<never, never>,
>(declaration: ToolDeclaration<I, O, R>): BundledTool
export function defineTool(declaration: BundledTool): BundledTool {
  return declaration
}

/** A verbatim definition document, and a handler for each of its tools. Its folder is the toolkit. */
export interface BundledDocument {
  readonly document: Json
  readonly handlers: Readonly<Record<string, BundledTool['handler']>>
  readonly hosts?: BundledTool['hosts']
  readonly isDemo?: boolean | undefined
  findHandler(name: string): BundledTool['handler']
}

/** Declares the tools of a definition document. Their handlers run only on input that matches the schema. */
export function defineTools(
  document: Json,
  handlers: BundledDocument['handlers'],
  options: Pick<BundledDocument, 'hosts' | 'isDemo'> = {},
): BundledDocument {
  return {
    ...options,
    document,
    handlers,
    findHandler(name) {
      const handler = Object.hasOwn(handlers, name) ? handlers[name] : undefined
      if (!handler) throw new Error(`Cannot find what runs for '${name}'`)
      return handler
    },
  }
}
