import type { Json } from '../../core/tool/json.ts'
import { check, object, oneOf, optional, string } from '../../core/tool/json-reader.ts'
import type { Definition } from '../../core/tool/tool.ts'
import { allowedHosts } from '../sandbox/allowed-hosts.ts'
import { sandboxCredentials } from '../sandbox/credentials.ts'
import { timeoutMs } from '../shared/timeout.ts'

/** Whether the module loads is judged apart, by the runner. */
export function checkCodeImplementation(implementation: Json, { requirements }: Definition) {
  const reader = object({
    kind: oneOf(['code']),
    /** An ES module whose default export is `async (input, context) => value`. */
    module: string({ least: 1 }),
    allowed_hosts: optional(allowedHosts, []),
    credentials: sandboxCredentials(implementation, requirements),
    timeout_ms: timeoutMs,
  })
  return check(reader, implementation)
}
