import type { Problem } from './problem.ts'
import type { Definition, Implementation } from './tool.ts'

/** One kind of implementation, as far as publication is concerned. */
export interface ImplementationKind {
  readonly kind: string
  /** What is wrong with an implementation, judged when it is published. Paths start at the implementation. */
  check(implementation: Implementation, definition: Definition): readonly Problem[]
}
