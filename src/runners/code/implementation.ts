import type { Json } from '../../core/tool/json.ts'
import type { Checked } from '../../core/tool/problem.ts'
import { DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS } from '../../core/call/runner.ts'
import type { Definition } from '../../core/tool/tool.ts'
import { DocumentReader } from '../../core/tool/json-reader.ts'
import { readCredentials, readHosts, type SandboxCredential } from '../sandbox/credentials.ts'

/** A `code` implementation with its defaults filled in. Every name is the document's own. */
export interface CodeImplementation {
  readonly kind: 'code'
  /** An ES module whose default export is `async (input, context) => value`. */
  readonly module: string
  readonly allowed_hosts: readonly string[]
  readonly credentials: readonly SandboxCredential[]
  readonly timeout_ms: number
}

const FIELDS = ['kind', 'module', 'allowed_hosts', 'credentials', 'timeout_ms']

/**
 * Checks a `code` implementation as it is published with `definition`. Gives it with defaults filled in, or every problem,
 * with pointers that start at the implementation. Whether the module loads is seen when it is first called.
 */
export function checkCodeImplementation(implementation: Json, definition: Definition): Checked<CodeImplementation> {
  const reader = new DocumentReader()
  const fields = reader.object(implementation, '', FIELDS)
  if (!fields) return { ok: false, problems: reader.problems }
  const module = reader.string(fields['module'], '/module')
  const hosts = readHosts(fields['allowed_hosts'], '/allowed_hosts', reader)
  const credentials = readCredentials(fields['credentials'], hosts, definition, reader)
  const timeout = reader.integer(fields['timeout_ms'] ?? DEFAULT_TIMEOUT_MS, '/timeout_ms', 1, MAX_TIMEOUT_MS)
  if (reader.problems.length > 0 || module === undefined) return { ok: false, problems: reader.problems }
  return { ok: true, value: { kind: 'code', module, allowed_hosts: hosts, credentials, timeout_ms: timeout } }
}
