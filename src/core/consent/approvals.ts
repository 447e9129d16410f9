import type { Challenge } from './authorization.ts'
import type { JsonObject } from '../tool/json.ts'
import type { ToolRecord } from '../tool/tool.ts'

/** Where a person's approval of one very call comes from. */
export interface Approvals {
  /**
   * Uses up the approval of exactly this call, by this principal and with this input; or gives the challenge by which a
   * person can approve it, and why. An approval counts once.
   */
  claim(call: {
    /** The principal's id. */
    readonly principal: string
    /** Absent: the call is for no user. */
    readonly userId?: string
    readonly tool: ToolRecord
    /** As the tool is to be run with it. */
    readonly input: JsonObject
    /** A URL of this deployment as the caller reached it: links to it start with its origin. */
    readonly reachedAt: () => string
  }): Promise<
    | { readonly approved: true }
    | { readonly challenge: Challenge; readonly reason: string }
    /** Nobody who could approve it can be told from the caller here: what an administrator has to set up. */
    /** `forOperator`: why, with what whoever runs the deployment has to set up. */
    | { readonly refused: string; readonly forOperator: string }
  >
}

/** What can be told of approvals without asking for one. */
export interface ApprovalLooks {
  /** Whether a person who could approve a call can be told from its caller, where the deployment was reached by a URL. */
  canBeApproved(url: string): boolean
}
