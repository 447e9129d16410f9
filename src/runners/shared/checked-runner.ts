import type { Runnable, Runner } from '../../core/call/runner.ts'
import type { Json } from '../../core/tool/json.ts'
import type { Checked } from '../../core/tool/problem.ts'
import type { Definition, ToolRecord } from '../../core/tool/tool.ts'

/** Makes a runner whose `prepare` gets what `check` read, as at publication. */
export function checkedRunner<T>(
  kind: string,
  check: (implementation: Json, definition: Definition) => Checked<T>,
  prepare: (implementation: T, record: ToolRecord) => Runnable,
): Runner {
  return {
    kind,
    check(implementation, definition) {
      const checked = check(implementation, definition)
      return checked.ok ? [] : checked.problems
    },
    prepare(record) {
      const checked = check(record.implementation, record)
      if (checked.ok) return prepare(checked.value, record)
      const problems = checked.problems.map(({ path, message }) => `"${path}": ${message}`)
      return { ok: false, reason: `The implementation is not valid: ${problems.join('; ')}` }
    },
  }
}
