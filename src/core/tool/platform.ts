/** Opaque when core is compiled by itself, without platform types. */
export type Fetch = typeof globalThis extends { fetch: infer F } ? F : never
export type Signal = Fetch extends (input: never, init?: infer Init) => unknown
  ? NonNullable<NonNullable<Init> extends { signal?: infer S } ? S : never>
  : never

export type ByteStream = Fetch extends (...parameters: never) => Promise<{ body: infer B }> ? NonNullable<B> : never

export type Span = <T>(name: string, attributes: Readonly<Record<string, string>>, work: () => T) => T

export type WaitUntil = (work: Promise<unknown>) => void
