import { DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS, type Runnable, type Runner } from '../../core/call/runner.ts'
import type { Json } from '../../core/tool/json.ts'
import { integer, nullish } from '../../core/tool/json-reader.ts'
import type { ParseResult } from '../../core/tool/problem.ts'
import type { Definition, ToolRecord } from '../../core/tool/tool.ts'

export const timeoutMs = nullish(integer(1, MAX_TIMEOUT_MS), DEFAULT_TIMEOUT_MS)

export function createCheckedRunner<T>(
  kind: string,
  check: (implementation: Json, definition: Definition) => ParseResult<T>,
  prepare: (implementation: T, record: ToolRecord) => Runnable,
): Runner {
  return {
    kind,
    check(implementation, definition) {
      const checkResult = check(implementation, definition)
      return checkResult.ok ? [] : checkResult.problems
    },
    prepare(record) {
      const checked = check(record.implementation, record)
      if (checked.ok) return prepare(checked.value, record)
      const problems = checked.problems.map(({ path, message }) => `"${path}": ${message}`)
      return { ok: false, reason: `The implementation is not valid: ${problems.join('; ')}` }
    },
  }
}
