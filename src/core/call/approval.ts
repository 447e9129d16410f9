import { isDistinguishableByKey, shareOwner } from '../access/principal.ts'
import { fail } from '../failure/failure.ts'
import { describeFiles } from './files.ts'
import { fingerprintInvocation } from './invocation.ts'
import type { Stage } from './stage.ts'

/**
 * Asks a person to approve the call, or uses the approval that the person gave. An approval covers the whole invocation,
 * including the content of its files, and is used up by one run.
 */
export const claimApprovalStage: Stage = async (call, { approvals, fingerprint }) => {
  const { record, caller, fileRefs } = call
  const files = fileRefs && (await describeFiles(fileRefs))
  if (files?.ok === false) return files
  const identity = await fingerprintInvocation(call, fingerprint, files?.value)
  const claim = await approvals.claim({
    ...identity,
    tool: record,
    isDistinguishableByKey: isDistinguishableByKey(caller.principal),
    requestedBy: caller.principal.name,
    chargedTo: shareOwner(caller.principal),
    requestUrl: caller.requestUrl,
  })
  if ('approved' in claim) return undefined
  if ('refused' in claim) return fail({ type: 'forbidden', reason: claim.refused, forOperator: claim.forOperator })
  return fail({ type: 'approval-required', id: record.id, reason: claim.reason, challenge: claim.challenge })
}
