import { sensitiveValues } from '../../core/call/invocation.ts'
import type { RunContext, Runner } from '../../core/call/runner.ts'
import { findBigInteger, withIntegersAsText } from '../../core/tool/big-integers.ts'
import type { Json } from '../../core/tool/json.ts'
import { boolean, parseValue, refine, object, enumReader, optional, string } from '../../core/tool/json-reader.ts'
import type { Definition, Requirements } from '../../core/tool/tool.ts'
import { createLazyRedact } from '../../outbound/redaction.ts'
import { callSandbox, respondFailed, forwardLogs } from '../sandbox/answer.ts'
import { allowedHosts, formatCredentials, sandboxCredentials } from '../sandbox/credentials.ts'
import { egressPolicy } from '../sandbox/egress.ts'
import { NO_LOADER, NO_SANDBOX, type SandboxCode, type SandboxRunnerOptions } from '../sandbox/sandbox.ts'
import { isCallToolResult, resultInSandbox } from '../shared/call-tool-result.ts'
import { createCheckedRunner, timeoutMs } from '../shared/checked-runner.ts'

/** In characters of one report, which is copied whole from the sandbox. */
const MAX_REPORTED = 100_000

export function checkCodeImplementation(implementation: Json, { requirements }: Definition) {
  const reader = object({
    kind: enumReader(['code']),
    module: string({ min: 1 }),
    allowed_hosts: optional(allowedHosts, []),
    credentials: sandboxCredentials(implementation, requirements),
    shared: optional(
      refine(boolean, (isShared) => whyNotShared(isShared, requirements)),
      false,
    ),
    timeout_ms: timeoutMs,
  })
  return parseValue(reader, implementation)
}

function whyNotShared(isShared: boolean, { user_id, authorization, secrets }: Requirements): string | undefined {
  const isPrivate = user_id || authorization.length + secrets.length > 0
  return isShared && isPrivate ? 'Must not be true for a tool that needs a user or a credential' : undefined
}

/** A module may keep data between calls, so each caller and user has a separate isolate, unless the tool is `shared`. */
export function createCodeRunner({ sandbox, inside, allowHttpHosts, log }: SandboxRunnerOptions): Runner {
  const runner = createCheckedRunner('code', checkCodeImplementation, (implementation, record) => {
    if (!sandbox) return { ok: false, reason: NO_SANDBOX, forOperator: NO_LOADER }
    const isForUsers = record.requirements.user_id || record.requirements.authorization.length > 0

    return {
      ok: true,
      timeoutMs: implementation.timeout_ms,
      // Without network access, it cannot change anything
      isRetrySafe: implementation.allowed_hosts.length === 0,
      hosts: implementation.allowed_hosts,
      async run(invocation, context) {
        const { placed, problem } = formatCredentials(implementation.credentials, invocation)
        if (problem !== undefined) return respondFailed(`Cannot make the tool's requests: ${problem}`)
        const userId = isForUsers ? invocation.userId : undefined
        const userInfo = userId === undefined ? undefined : invocation.userInfo
        const sensitive = placed.length === 0 ? [] : sensitiveValues(invocation)
        const caller = implementation.shared ? '' : context.principal
        const code: SandboxCode = {
          name: `code:${inside.hash}:${record.digest}`,
          modules: async () => ({ ...(await inside.modules()), 'tool.js': { js: implementation.module } }),
          egress: egressPolicy(implementation, record.toolkit, caller, allowHttpHosts, placed, sensitive),
          owner: implementation.shared ? [] : [context.principal, invocation.userId ?? ''],
          tool: record,
        }

        const about = {
          callId: context.callId,
          tool: record.tool,
          called: record.sourceName ?? record.tool,
          ...(userId === undefined ? {} : { userId }),
          ...(userInfo === undefined ? {} : { userInfo }),
        }
        const call = { about, timeoutMs: implementation.timeout_ms }
        // A module would mix bigints with its numbers, and could not write them as JSON
        const isExact = findBigInteger(invocation.input) !== undefined
        const input = isExact ? withIntegersAsText(invocation.input) : invocation.input
        const floodAbort = context.progress && new AbortController()
        const report = floodAbort && reporter(context, () => floodAbort.abort())
        const signal = floodAbort
          ? AbortSignal.any([context.deadline.signal, floodAbort.signal])
          : context.deadline.signal
        const answer = await callSandbox(sandbox, code, report ? [input, call, report] : [input, call], {
          signal,
          budget: context.budget,
          redact: createLazyRedact(() => sensitiveValues(invocation)),
          subject: "The tool's module",
          unfinished: 'The call ended before the tool did',
        })
        if (floodAbort?.signal.aborted)
          return respondFailed(`The tool's module reported more than ${MAX_REPORTED} characters`)
        if (!answer.ok) return answer
        forwardLogs(answer.logs, context, log)
        const { result } = answer
        if (!result.ok) return { ok: false, failure: result.failure }
        const { value } = result
        if (!isCallToolResult(value, record.output)) return { ok: true, value }
        const content = resultInSandbox(value, "The tool's module")
        // Text is not the value of a tool without an output
        const hasNoValue = record.output === null && value.structuredContent === undefined
        return content.ok && hasNoValue ? { ...content, value: null } : content
      },
    }
  })
  return {
    ...runner,
    async load({ module }) {
      const reason = typeof module === 'string' ? await sandbox?.whyUnlinked(module) : undefined
      return reason === undefined ? [] : [{ path: '/module', message: `Does not load: ${reason}` }]
    },
  }
}

/** Ends a module that sends reports that the code around it (`guest/main.ts`) never sends: it has bypassed that code. */
function reporter({ progress: report }: RunContext, end: () => void) {
  return (progress: unknown, total: unknown, message: unknown): void => {
    const text = typeof message === 'string' ? message : undefined
    if (typeof progress !== 'number' || (text?.length ?? 0) > MAX_REPORTED) return end()
    report?.(progress, typeof total === 'number' ? total : undefined, text)
  }
}
