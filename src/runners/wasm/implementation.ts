import type { Json } from '../../core/tool/json.ts'
import { check, judged, map, nullish, object, oneOf, optional, string, text } from '../../core/tool/json-reader.ts'
import type { Definition } from '../../core/tool/tool.ts'
import { allowedHosts } from '../sandbox/allowed-hosts.ts'
import { whyUndeclared } from '../shared/credential.ts'
import { timeoutMs } from '../shared/timeout.ts'

/** An upload makes them. */
export function checkWasmImplementation(implementation: Json, { requirements }: Definition) {
  const secret = judged(string({ least: 1 }), (id) => whyUndeclared(id, requirements.secrets))
  const reader = object({
    kind: oneOf(['wasm']),
    blob: text('the SHA-256 of a plugin that was uploaded', /^[0-9a-f]{64}$/),
    tool: string({ least: 1 }),
    allowed_hosts: optional(allowedHosts, []),
    /** The secret of each key. */
    config: nullish(map(secret), {}),
    timeout_ms: timeoutMs,
  })
  return check(reader, implementation)
}
