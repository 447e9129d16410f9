import type { Content } from './content.ts'

/** A tool's own report that it could not do its work (OXP 1.0, "Tool error"). */
export interface ToolFailure {
  readonly message: string
  readonly developer_message?: string
  readonly forOperator?: string
  readonly can_retry?: boolean
  readonly additional_prompt_content?: string
  readonly retry_after_ms?: number
  readonly content?: readonly Content[]
}
