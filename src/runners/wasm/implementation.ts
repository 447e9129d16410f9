import { DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS } from '../../core/call/runner.ts'
import type { Json } from '../../core/tool/json.ts'
import {
  check,
  integer,
  judged,
  map,
  nullish,
  object,
  oneOf,
  optional,
  string,
  text,
} from '../../core/tool/json-reader.ts'
import type { Checked } from '../../core/tool/problem.ts'
import type { Definition } from '../../core/tool/tool.ts'
import { allowedHosts } from '../sandbox/allowed-hosts.ts'
import { whyUndeclared } from '../shared/credential.ts'

/** A `wasm` implementation with its defaults filled in. Every name is the document's own. */
export interface WasmImplementation {
  readonly kind: 'wasm'
  /** The SHA-256 of the metered plugin, in hex. */
  readonly blob: string
  /** What the plugin calls the tool. */
  readonly tool: string
  readonly allowed_hosts: readonly string[]
  /** Which secret each key of the configuration is. */
  readonly config: Readonly<Record<string, string>>
  readonly timeout_ms: number
}

/** Checks a `wasm` implementation as it is published with `definition`: an upload makes them. */
export function checkWasmImplementation(
  implementation: Json,
  { requirements }: Definition,
): Checked<WasmImplementation> {
  const secret = judged(string({ least: 1 }), (id) => whyUndeclared(id, requirements.secrets))
  const reader = object({
    kind: oneOf(['wasm']),
    blob: text('the SHA-256 of a plugin that was uploaded', /^[0-9a-f]{64}$/),
    tool: string({ least: 1 }),
    allowed_hosts: optional(allowedHosts, []),
    config: nullish(map(secret), {}),
    timeout_ms: nullish(integer(1, MAX_TIMEOUT_MS), DEFAULT_TIMEOUT_MS),
  })
  return check(reader, implementation)
}
