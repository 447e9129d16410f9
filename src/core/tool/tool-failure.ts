import type { Content } from './content.ts'

/** How a tool says that it could not do what was asked (OXP 1.0, "Tool error"). */
export interface ToolFailure {
  readonly message: string
  readonly developer_message?: string
  /** In place of that, for whoever runs the deployment: with what nobody else can put right. */
  readonly forOperator?: string
  readonly can_retry?: boolean
  readonly additional_prompt_content?: string
  readonly retry_after_ms?: number
  /** What there is to look at, where the tool gave that; `message` is what of it is text. */
  readonly content?: readonly Content[]
}
