import { approvalReason } from '../access/principal.ts'
import { fail } from '../failure/failure.ts'
import { describeFiles } from './files.ts'
import { identify } from './invocation.ts'
import type { Stage } from './stage.ts'

/** A person approves all that the tool is given, and nothing else runs by it. */
export const APPROVAL: Stage = {
  async pass(call, { approvals, fingerprint }) {
    const { record, caller, namedFiles } = call
    const files = namedFiles && (await describeFiles(namedFiles))
    if (files?.ok === false) return files
    const identity = await identify(call, fingerprint, files?.value)
    const claimed = await approvals.claim({ ...identity, tool: record, reachedAt: caller.reachedAt })
    if ('approved' in claimed) return undefined
    if ('refused' in claimed) {
      return fail({ type: 'forbidden', reason: claimed.refused, forOperator: claimed.forOperator })
    }
    return fail({ type: 'approval-required', id: record.id, reason: claimed.reason, challenge: claimed.challenge })
  },
  look({ record, reachedAt }, { approvals }) {
    const level = approvalReason(record)
    if (!approvals.canBeApproved(reachedAt())) {
      const reason = `${level}, and nobody who could approve a call can be told from its caller here`
      return { type: 'forbidden', reason }
    }
    const challenge = { id: 'approval', url: '', scopes: [], status: 'not_started' } as const
    const reason = `${level}: the answer to a call has the link to its page`
    return { type: 'approval-required', id: record.id, reason, challenge }
  },
}
