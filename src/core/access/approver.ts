import type { ToolName } from '../tool/tool-id.ts'
import { hasScope, mayApprove, type Principal } from './principal.ts'

/** Only of a key is it known that another key is not its own: whoever makes keys, or owns the calling agent, could hold both. */
export function isToldByKey(caller: Principal): boolean {
  return caller.kind === 'key' && !hasScope(caller, 'admin')
}

/** Whether somebody who signed in with a key may approve a call that was made with another, and not for a user of their own. */
export function approvesByKey(
  approver: Principal,
  caller: Principal,
  { tool, userId }: { readonly tool: ToolName; readonly userId: string | undefined },
): boolean {
  const theirs = [userId, ...(caller.users === 'any' ? [] : caller.users)]
  const isSameUser = approver.users !== 'any' && approver.users.some((user) => theirs.includes(user))
  return isToldByKey(caller) && approver.id !== caller.id && !isSameUser && mayApprove(approver, tool)
}
