import type { JsonObject } from './json.ts'
import type { ToolRecord } from './tool.ts'

const READS = { readOnlyHint: true, openWorldHint: true }
const WRITES = { readOnlyHint: false, openWorldHint: true }
/** RFC 9110, sections 9.2.1 and 9.2.2. */
const ANNOTATIONS_BY_METHOD: Readonly<Record<string, JsonObject>> = {
  GET: READS,
  HEAD: READS,
  OPTIONS: READS,
  PUT: { ...WRITES, idempotentHint: true },
  DELETE: { ...WRITES, destructiveHint: true, idempotentHint: true },
}

export function toMethodAnnotations(method: string): JsonObject {
  return ANNOTATIONS_BY_METHOD[method] ?? WRITES
}

type Annotated = Pick<ToolRecord, 'annotations' | 'implementation' | 'securityLevel'>

/** Returns all four hints of MCP's `ToolAnnotations`. Missing ones follow from the HTTP method or the protocol's defaults. */
export function completeAnnotations({ annotations, implementation, securityLevel }: Annotated): JsonObject {
  const method = implementation?.kind === 'http' && typeof implementation.method === 'string' && implementation.method
  // If a person must approve calls, a GET is not assumed to be harmless
  const isApproved = securityLevel >= 8
  const hints = { ...(method && !isApproved ? toMethodAnnotations(method) : {}), ...annotations }
  const { readOnlyHint = false, openWorldHint = !isSealedOff(implementation) } = hints
  const isRead = readOnlyHint === true
  const { destructiveHint = !isRead, idempotentHint = isRead } = hints
  return { ...annotations, readOnlyHint, destructiveHint, idempotentHint, openWorldHint }
}

/** Checks for sandboxed code without network access. */
function isSealedOff(implementation: ToolRecord['implementation']): boolean {
  const { kind, allowed_hosts: hosts = [] } = implementation ?? { kind: 'none' }
  return (kind === 'code' || kind === 'wasm') && Array.isArray(hosts) && hosts.length === 0
}
