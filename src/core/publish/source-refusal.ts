import type { Problem } from '../tool/problem.ts'

/** Why no tools can be made of a source: what is wrong with it or with what was asked, or what this deployment lacks. */
export type SourceRefusal =
  | { readonly type: 'definition-invalid'; readonly problems: readonly Problem[] }
  | { readonly type: 'tool-not-executable'; readonly id: string; readonly reason: string }

export type Refused = { readonly ok: false; readonly failure: SourceRefusal }

/** What is wrong with a source, or with what was asked of it. */
export function invalidSource(...problems: readonly Problem[]): Refused {
  return { ok: false, failure: { type: 'definition-invalid', problems } }
}
