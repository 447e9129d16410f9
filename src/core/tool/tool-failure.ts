import type { Content } from './content.ts'

export interface ToolFailure {
  readonly message: string
  readonly developer_message?: string
  readonly forOperator?: string
  readonly can_retry?: boolean
  readonly additional_prompt_content?: string
  readonly retry_after_ms?: number
  readonly content?: readonly Content[]
}
