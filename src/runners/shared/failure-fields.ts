import { isObject } from '../../core/tool/json.ts'
import type { ToolFailure } from '../../core/tool/content.ts'

const ERROR_KEY = 'dev.switchboard/error'

/** OXP 1.0, "Tool error". Passes over wrong types, since a failing tool should not fail once more for how it said so. */
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

export function failureMeta(meta: unknown): Omit<ToolFailure, 'message'> {
  return isObject(meta) ? failureFields(meta[ERROR_KEY]) : {}
}
