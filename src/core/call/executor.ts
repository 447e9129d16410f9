import { covers, denial, mayActFor, maySee, type Principal } from '../access/principal.ts'
import type { Call, Caller, Outcome } from './call.ts'
import { execute, type ExecuteDeps, messageOf } from './execute.ts'
import { type Failing, type Failure, fail } from './failure.ts'
import type { Resolver } from './resolve.ts'
import type { Background } from '../tool/platform.ts'
import { parseAskedName, parseToolId } from '../tool/tool-id.ts'
import type { ToolRecord } from '../tool/tool.ts'

const MAX_SUGGESTIONS = 3

/** What is written down of a call: never inputs, outputs or secrets. */
export interface CallRecord {
  readonly call_id: string
  readonly trace_id?: string
  readonly traceparent?: string
  readonly principal: string
  readonly user_id?: string
  readonly tool: string
  readonly digest?: string
  readonly outcome: 'success' | Failure['type']
  readonly duration_ms: number
}

export interface ExecutorDeps extends ExecuteDeps {
  readonly resolver: Resolver
  readonly now: () => number
  readonly newId: () => string
  readonly record: (record: CallRecord, background: Background) => void
}

export interface Executor {
  /** Never throws: whatever happens is an outcome. */
  call(call: Call, caller: Caller): Promise<Outcome>
}

/** Executes calls: resolve, authorise, requirements, input, approval, run, output, record. */
export function createExecutor(deps: ExecutorDeps): Executor {
  const { resolver, now, newId, record } = deps

  return {
    async call(call, caller) {
      const { principal, background, traceparent } = caller
      const callId = call.callId ?? newId()
      const started = now()
      let tool: ToolRecord | undefined
      let userId: string | undefined
      let result: Outcome['result']
      try {
        const hidden = hiddenFrom(principal, call.asked)
        const found = hidden ?? resolver.resolve(call.asked, background)
        const resolved = found instanceof Promise ? await found : found
        if (!resolved.ok) result = await visibleTo(principal, resolved, resolver, background)
        else {
          tool = resolved.tool.record
          userId = call.context.userId ?? onlyUser(principal)
          const context = userId === undefined ? call.context : { ...call.context, userId }
          result =
            hiddenByName(principal, call.asked, tool) ??
            denied(principal, tool) ??
            notForUser(principal, userId) ??
            (await execute(resolved.tool, { ...call, context, callId }, caller, deps))
        }
      } catch (error) {
        // Storage that cannot be reached, or a defect of ours: it is written down like any other call
        deps.defect(callId, tool?.id ?? call.asked.slice(0, 200), messageOf(error))
        result = fail({ type: 'internal', reference: callId })
      }
      const durationMs = now() - started
      const line: CallRecord = {
        call_id: callId,
        ...(call.traceId === undefined ? {} : { trace_id: call.traceId }),
        ...(traceparent === undefined ? {} : { traceparent }),
        principal: principal.id,
        ...(userId === undefined ? {} : { user_id: userId }),
        tool: tool?.id ?? call.asked.slice(0, 200),
        ...(tool ? { digest: tool.digest } : {}),
        outcome: result.ok ? 'success' : result.failure.type,
        duration_ms: durationMs,
      }
      record(line, background)
      return { callId, durationMs, result }
    },
  }
}

/** Refuses a tool the principal's patterns do not cover, before it can be told from one that does not exist. */
function hiddenFrom(principal: Principal, asked: string): Failing | undefined {
  if (principal.tools.includes('*')) return undefined
  const name = parseToolId(asked)
  if (!name || covers(principal, name)) return undefined
  return fail({ type: 'forbidden', reason: `The credential does not cover '${name.toolkit}.${name.tool}'` })
}

/** The same for a tool asked for by its name, which says nothing of its toolkit: it is as good as unknown. */
function hiddenByName(principal: Principal, asked: string, tool: ToolRecord): Failing | undefined {
  const named = parseAskedName(asked)
  if (!named || covers(principal, tool)) return undefined
  return fail({ type: 'tool-unknown', asked: named.name, suggestions: [] })
}

/** A failure to resolve, with only such suggestions as the principal may see in lists. */
async function visibleTo(
  principal: Principal,
  failing: Failing,
  resolver: Resolver,
  background: Background,
): Promise<Failing> {
  const { failure } = failing
  if (failure.type !== 'tool-unknown') return failing
  const suggestions: string[] = []
  for (const id of failure.suggestions) {
    if (suggestions.length === MAX_SUGGESTIONS) break
    const name = parseToolId(id)
    if (!name || !covers(principal, name)) continue
    const resolved = principal.kind === 'anonymous' ? await resolver.resolve(id, background) : undefined
    if (!resolved || (resolved.ok && maySee(principal, resolved.tool.record))) suggestions.push(id)
  }
  return fail({ ...failure, suggestions })
}

function denied(principal: Principal, tool: ToolRecord): Failing | undefined {
  const reason = denial(principal, tool)
  return reason && fail(reason)
}

function notForUser(principal: Principal, userId: string | undefined): Failing | undefined {
  if (userId === undefined || mayActFor(principal, userId)) return undefined
  return fail({ type: 'forbidden', reason: 'The credential may not act for this user' })
}

function onlyUser(principal: Principal): string | undefined {
  return principal.users !== 'any' && principal.users.length === 1 ? principal.users[0] : undefined
}
