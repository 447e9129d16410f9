/**
 * Platform types that core hands through and never touches. In core's own compilation, which knows no platform, they
 * are opaque; wherever a platform is known, they are its own.
 */
export type Fetch = typeof globalThis extends { fetch: infer F } ? F : never
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer S } } ? S : { readonly aborted: boolean }
