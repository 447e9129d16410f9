import { isObject } from '../../core/tool/json.ts'
import type { ToolFailure } from '../../core/tool/tool-failure.ts'

/** The member of an MCP result's `_meta` in which programs are told of a failure. */
const ERROR_KEY = 'dev.switchboard/error'

/**
 * What a tool says of its failure beside the message (OXP 1.0, "Tool error"), in the specification's names, wherever it says
 * it. What is of another type is passed over: whoever failed should not fail once more for the way it said so.
 */
export function failureFields(said: unknown): Omit<ToolFailure, 'message'> {
  if (!isObject(said)) return {}
  const { developer_message, can_retry, additional_prompt_content, retry_after_ms } = said
  return {
    ...(typeof developer_message === 'string' ? { developer_message: developer_message } : {}),
    ...(typeof can_retry === 'boolean' ? { can_retry } : {}),
    ...(typeof additional_prompt_content === 'string' ? { additional_prompt_content } : {}),
    ...(typeof retry_after_ms === 'number' && retry_after_ms >= 0 && Number.isFinite(retry_after_ms)
      ? { retry_after_ms }
      : {}),
  }
}

/** The same of a CallToolResult, which has no room of its own for it: out of its `_meta`. */
export function failureMeta(meta: unknown): Omit<ToolFailure, 'message'> {
  return isObject(meta) ? failureFields(meta[ERROR_KEY]) : {}
}
