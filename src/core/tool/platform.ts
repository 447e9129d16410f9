/**
 * Platform types that core hands through and never touches. In core's own compilation, which knows no platform, they
 * are opaque; wherever a platform is known, they are its own.
 */
export type Fetch = typeof globalThis extends { fetch: infer F } ? F : never
export type Signal = Fetch extends (input: never, init?: infer Init) => unknown
  ? NonNullable<NonNullable<Init> extends { signal?: infer S } ? S : never>
  : never

/** Bytes that come one after the other. */
export type ByteStream = Fetch extends (...given: never) => Promise<{ body: infer B }> ? NonNullable<B> : never

/** Does some work as a span of the request's trace, of a name and with attributes, where the platform traces. */
export type Span = <T>(name: string, attributes: Readonly<Record<string, string>>, work: () => T) => T

/** Work that may outlive the request that starts it. */
export type Background = (work: Promise<unknown>) => void
