import { DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS } from '../../core/call/runner.ts'
import type { Json } from '../../core/tool/json.ts'
import { check, integer, nullish, object, oneOf, optional, string } from '../../core/tool/json-reader.ts'
import type { Checked } from '../../core/tool/problem.ts'
import type { Definition } from '../../core/tool/tool.ts'
import { allowedHosts } from '../sandbox/allowed-hosts.ts'
import { type SandboxCredential, sandboxCredentials } from '../sandbox/credentials.ts'

/** A `code` implementation with its defaults filled in. Every name is the document's own. */
export interface CodeImplementation {
  readonly kind: 'code'
  /** An ES module whose default export is `async (input, context) => value`. */
  readonly module: string
  readonly allowed_hosts: readonly string[]
  readonly credentials: readonly SandboxCredential[]
  readonly timeout_ms: number
}

/**
 * Checks a `code` implementation as it is published with `definition`. Gives it with defaults filled in, or every problem,
 * with pointers that start at the implementation. Whether the module loads is seen when it is first called.
 */
export function checkCodeImplementation(
  implementation: Json,
  { requirements }: Definition,
): Checked<CodeImplementation> {
  const reader = object({
    kind: oneOf(['code']),
    module: string({ least: 1 }),
    allowed_hosts: optional(allowedHosts, []),
    credentials: sandboxCredentials(implementation, requirements),
    timeout_ms: nullish(integer(1, MAX_TIMEOUT_MS), DEFAULT_TIMEOUT_MS),
  })
  return check(reader, implementation)
}
