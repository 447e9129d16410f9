import type { ToolSecrets } from '../core/access/tool-secrets.ts'
import { createFindCandidates, createFindTools } from '../core/call/bare-name.ts'
import { createCallTool } from '../core/call/call.ts'
import { createReadiness } from '../core/call/readiness.ts'
import type { Resolver } from '../core/call/resolve.ts'
import { createTurns } from '../core/call/turns.ts'
import { base64 } from '../outbound/base64.ts'
import { startDeadline } from './clock.ts'
import { log } from './log.ts'
import type { Recording } from './recording.ts'
import { span } from './span.ts'
import type { Stores } from './stores.ts'
import { traffic } from './traffic.ts'

export interface CallsParts {
  readonly stores: Stores
  readonly recording: Recording
  readonly resolver: Resolver
  readonly toolSecrets: ToolSecrets
}

/** Composes the one door that every call goes through, and what tells whether a call could. */
export function composeCalls({ stores, recording, resolver, toolSecrets }: CallsParts) {
  const { now } = Date
  const { registry, vault, artifacts, uploads, ledger } = stores
  const { catalogue } = registry
  const callTool = createCallTool({
    resolver,
    findCandidates: createFindCandidates({ resolver, findTools: createFindTools(catalogue), now }),
    toolSecrets,
    userTokens: vault,
    approvals: vault,
    artifacts,
    uploads,
    turns: createTurns(now),
    ledger,
    now,
    newId: () => crypto.randomUUID(),
    startDeadline,
    base64,
    span,
    writeRecord: recording.writeCall,
    defect: (call_id, tool, message, at) => log({ event: 'tool-defect', call_id, tool, message, at }),
  })
  const tellReadiness = createReadiness({
    toolSecrets,
    grants: vault,
    approvals: vault,
    healthOf(host, toolkit) {
      const { state, retryAfterMs } = traffic.health(host, toolkit)
      return { state, ...(retryAfterMs === undefined ? {} : { retry_after_ms: Math.ceil(retryAfterMs) }) }
    },
  })
  return { callTool, tellReadiness }
}
