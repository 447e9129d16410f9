import type { FromSchema, JSONSchema } from 'json-schema-to-ts'
import type { Artifact, Content, InputRequests, InputResponses } from './content.ts'
import type { ToolFailure } from './tool-failure.ts'
import { isJsonObject, isObject, type Json, type JsonObject } from './json.ts'
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
/** An input that is open still has no parameter that nobody described: a name mistyped in a handler is an error. */
type Input<I> = I extends { readonly additionalProperties: unknown } | { readonly patternProperties: unknown }
  ? Described<I>
  : Named<Described<I>>
type Described<S> = S extends JSONSchema ? FromSchema<S> : never
type Named<T> = T extends unknown ? { [K in keyof T as string extends K ? never : K]: T[K] } : never
type Output<O> = O extends null ? void : O extends JSONSchema ? FromSchema<O> : unknown
type Returned<O> = Output<O> | Shown<Output<O>> | Asked | Failed

/** What a handler may use: nothing but what its tool declares. */
export interface ToolContext<R = Requirements> {
  readonly secrets: Readonly<Record<SecretId<R>, string>>
  /** The user's OAuth access token at a declared provider; the new one, once `fetch` had to have it renewed. */
  token(provider: ProviderId<R>): string
  readonly userId: R extends { readonly user_id: true } ? string : string | undefined
  /** What the call says of the user beside the id. */
  readonly userInfo?: JsonObject | undefined
  /** Aborts at the deadline, and when the caller goes away. */
  readonly signal: Signal
  /** Every outgoing request goes through this guarded fetch: https to public hosts, redirects checked, bytes capped. */
  readonly fetch: Fetch
  /** Writes one line to the call's log, and to the caller if it asked for logs. Secrets and tokens are redacted. */
  log(message: string): void
  /** Tells the caller how far the tool is, if it wants to know. `progress` must grow from one report to the next. */
  progress(progress: number, total?: number, message?: string): void
  /** Answers to what the tool asked for with `ask`, in a call before this one; undefined where nobody can be asked. */
  readonly answers: InputResponses | undefined
}

/** A failure that the tool foresaw, to be returned by its handler; a thrown error counts as a defect. */
export interface Failed {
  readonly failed: ToolFailure
}

export function failed(failure: ToolFailure): Failed {
  return { failed: failure }
}

/** Marks what the functions below return, so that no value of a tool's own can be taken for it. */
export const more = Symbol('more than a value')

/** A value with something to look at, or with the place where it lies. */
export interface Shown<V> {
  readonly [more]: { readonly value: V; readonly content?: readonly Content[]; readonly artifact?: Artifact }
}

/** What the tool needs to be told before it can go on. */
export interface Asked {
  readonly [more]: { readonly asks: InputRequests }
}

/** Content to look at beside the value, which must pass the output schema; dialects without content give the value. */
export function content(blocks: readonly Content[]): Shown<void>
export function content<const V>(blocks: readonly Content[], value: V): Shown<V>
export function content(blocks: readonly Content[], value?: unknown): Shown<unknown> {
  return { [more]: { value, content: blocks } }
}

/** A large output that lies at a URL; the value, if any, is for dialects that know no artifacts. */
export function artifact(place: ArtifactPlace): Shown<void>
export function artifact<const V>(place: ArtifactPlace, value: V): Shown<V>
export function artifact({ description, ...place }: ArtifactPlace, value?: unknown): Shown<unknown> {
  return { [more]: { value, artifact: { ...place, meta: { description } } } }
}

/** Where an artifact lies; `size` counts bytes. */
export interface ArtifactPlace extends Omit<Artifact, 'meta'> {
  readonly description: string
}

/**
 * Asks whoever calls (MCP 2026-07-28, "multi-round-trip requests"): the tool is called again with the same input, and
 * with the answers and `state` in its context. A caller that cannot answer is told what was asked.
 */
export function ask(requests: InputRequests['requests'], state?: Json): Asked {
  return { [more]: { asks: state === undefined ? { requests } : { requests, state } } }
}

/** What a person filled in of a form that was asked for; undefined when they declined, or were not asked yet. */
export function accepted(answer: Json | undefined): JsonObject | undefined {
  if (!isObject(answer) || answer.action !== 'accept') return undefined
  return isJsonObject(answer.content) ? answer.content : undefined
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
  /** Whether the handler may give an `artifact`, so that its definition says so. */
  readonly mayGiveArtifact?: boolean
  /** The call's deadline; 30,000 when absent, at most 300,000. */
  readonly timeoutMs?: number
  /** Input that passed the schema in, output that must pass its schema out. */
  handler(input: Input<I>, context: ToolContext<R>): Returned<O> | Promise<Returned<O>>
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

/** A definition document, word for word, and what runs for each tool that it defines. Its folder is the toolkit. */
export interface BundledDocument {
  readonly document: Json
  /** By what the document calls the tool. */
  readonly handlers: Readonly<Record<string, BundledTool['handler']>>
  /** What runs for one of its tools; throws when there is none. */
  handlerOf(name: string): BundledTool['handler']
}

/** Declares the tools of a definition document, such as one of the Machine Context Protocol. Their handlers run only on input that passed the schema. */
export function tools(document: Json, handlers: BundledDocument['handlers']): BundledDocument {
  return {
    document,
    handlers,
    handlerOf(name) {
      const handler = Object.hasOwn(handlers, name) ? handlers[name] : undefined
      if (!handler) throw new Error(`Cannot find what runs for '${name}'`)
      return handler
    },
  }
}
