import { isObject, type Json } from '../../core/tool/json.ts'
import { type Checked, pointerStep } from '../../core/tool/problem.ts'
import { DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS } from '../../core/call/runner.ts'
import type { Definition } from '../../core/tool/tool.ts'
import { DocumentReader } from '../../core/tool/json-reader.ts'
import { readHosts } from '../sandbox/credentials.ts'

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

const FIELDS = ['kind', 'blob', 'tool', 'allowed_hosts', 'config', 'timeout_ms']

/** Checks a `wasm` implementation as it is published with `definition`: an upload makes them. */
export function checkWasmImplementation(
  implementation: Json,
  { requirements }: Definition,
): Checked<WasmImplementation> {
  const reader = new DocumentReader()
  const fields = reader.object(implementation, '', FIELDS)
  if (!fields) return { ok: false, problems: reader.problems }
  const blob = reader.string(fields['blob'], '/blob')
  if (blob !== undefined && !/^[0-9a-f]{64}$/.test(blob)) {
    reader.problem('/blob', 'wanted the SHA-256 of a plugin that was uploaded')
  }
  const tool = reader.string(fields['tool'], '/tool')
  const hosts = readHosts(fields['allowed_hosts'], '/allowed_hosts', reader)
  const config: Record<string, string> = {}
  const given = fields['config'] ?? {}
  if (!isObject(given)) reader.problem('/config', 'wanted an object')
  else {
    for (const [key, value] of Object.entries(given)) {
      const path = `/config${pointerStep(key)}`
      const id = reader.string(value, path)
      if (id === undefined) continue
      config[key] = id
      if (!requirements.secrets.some((each) => each.id === id)) {
        reader.problem(path, `the tool's requirements do not declare "${id}"`)
      }
    }
  }
  const timeout = reader.integer(fields['timeout_ms'] ?? DEFAULT_TIMEOUT_MS, '/timeout_ms', 1, MAX_TIMEOUT_MS)
  if (reader.problems.length > 0 || blob === undefined || tool === undefined) {
    return { ok: false, problems: reader.problems }
  }
  return { ok: true, value: { kind: 'wasm', blob, tool, allowed_hosts: hosts, config, timeout_ms: timeout } }
}
