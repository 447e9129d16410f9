import { isUnknownTool, fail, ok, type Result } from '../failure/failure.ts'
import type { ToolRecord } from '../tool/tool.ts'
import { authorizeCall, type CalledToolDeps, findCalledTool, resolveUserId } from './authorize-call.ts'
import type { Caller, CallRequest } from './call-request.ts'
import { completeInput } from './input.ts'

/** Returns the tool, or why a later call would fail because of its tool, rights or input. Runs nothing. */
export async function checkCall(
  call: CallRequest,
  caller: Pick<Caller, 'principal' | 'background' | 'signal' | 'budget'>,
  deps: CalledToolDeps,
): Promise<Result<ToolRecord>> {
  const calledTool = await findCalledTool(call, caller, deps)
  if (!calledTool.ok) {
    const { fallback, ...rest } = call
    return fallback && isUnknownTool(calledTool.failure)
      ? checkCall({ ...rest, ...fallback }, caller, deps)
      : calledTool
  }
  const { record, runnable } = calledTool.tool
  const userId = resolveUserId(caller.principal, call.context.userId)
  const denial = authorizeCall(caller.principal, calledTool.toolRef, record, userId)
  if (denial) return denial
  if (!runnable.ok) return fail({ type: 'tool-not-executable', id: record.id, reason: runnable.reason })
  const input = completeInput(call, calledTool.tool, userId, caller.budget)
  return input.ok ? ok(record) : input
}
