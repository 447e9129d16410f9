import type { Principal } from '../access/principal.ts'
import type { Approvals } from '../consent/approvals.ts'
import type { JsonObject } from '../tool/json.ts'
import { needsApproval, type ToolRecord } from '../tool/tool.ts'
import { type Failing, fail } from '../failure/failure.ts'

/** Uses up a person's approval of this very call, where its tool needs one. Gives undefined when the tool may run. */
export function claimApproval(
  tool: ToolRecord,
  input: JsonObject,
  userId: string | undefined,
  { principal, reachedAt }: { readonly principal: Principal; readonly reachedAt: () => string },
  approvals: Approvals,
): undefined | Promise<Failing | undefined> {
  if (!needsApproval(tool)) return undefined
  const user = userId === undefined ? {} : { userId }
  return approvals.claim({ principal: principal.id, ...user, tool, input, reachedAt }).then((claimed) => {
    if ('approved' in claimed) return undefined
    if ('refused' in claimed) {
      return fail({ type: 'forbidden', reason: claimed.refused, forOperator: claimed.forOperator })
    }
    return fail({ type: 'approval-required', id: tool.id, reason: claimed.reason, challenge: claimed.challenge })
  })
}
