import type { Challenge } from './authorization.ts'
import type { JsonObject } from '../tool/json.ts'
import type { ToolRecord } from '../tool/tool.ts'

export interface Approvals {
  /** Uses up the approval of exactly this call, or gives a challenge by which a person can approve it. */
  claim(call: {
    readonly principal: string
    readonly userId?: string
    readonly tool: ToolRecord
    readonly input: JsonObject
    /** Links begin with the origin of this URL of the deployment. */
    readonly reachedAt: () => string
  }): Promise<
    | { readonly approved: true }
    | { readonly challenge: Challenge; readonly reason: string }
    /** Nobody here can be told from the caller, and so approve; `forOperator` says what is to be set up. */
    | { readonly refused: string; readonly forOperator: string }
  >
}

export interface ApprovalLooks {
  /** Whether some person here can be told from the caller, and so approve. */
  canBeApproved(url: string): boolean
}
