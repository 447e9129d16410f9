import type { Problem } from '../tool/problem.ts'

/** Why no tools can be made of a source. */
export type SourceRefusal =
  | { readonly type: 'definition-invalid'; readonly problems: readonly Problem[] }
  | { readonly type: 'tool-not-executable'; readonly id: string; readonly reason: string }

export type Refused = { readonly ok: false; readonly failure: SourceRefusal }

export function invalidSource(...problems: readonly Problem[]): Refused {
  return { ok: false, failure: { type: 'definition-invalid', problems } }
}
