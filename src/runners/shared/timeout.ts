import { DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS } from '../../core/call/runner.ts'
import { integer, nullish } from '../../core/tool/json-reader.ts'

export const timeoutMs = nullish(integer(1, MAX_TIMEOUT_MS), DEFAULT_TIMEOUT_MS)
