import { MAX_DEPTH } from '../../core/tool/json.ts'
import { encodePointerStep } from '../../core/tool/problem.ts'

const MAX_PATH = 500

/** Returns the first problem that our JSON does not allow: `__proto__`, numbers beyond JSON, or too much depth. */
export function foreignJsonProblem(root: object): string | undefined {
  const steps: string[] = []
  const problem = findProblem(root, 1)
  return problem && `${problem} at '${steps.toReversed().join('').slice(0, MAX_PATH)}'`

  /** Paths are built only for problems: most documents have none, and a document can have a million places. */
  function findProblem(value: unknown, depth: number): string | undefined {
    if (typeof value === 'number' && !Number.isFinite(value)) return 'Has no number'
    if (typeof value !== 'object' || value === null) return undefined
    if (depth > MAX_DEPTH) return `Must not nest deeper than ${MAX_DEPTH} levels`
    for (const key of Object.keys(value)) {
      if (key === '__proto__') return "Must not have the key '__proto__', got it"
      const problem = findProblem(Reflect.get(value, key), depth + 1)
      if (problem === undefined) continue
      steps.push(encodePointerStep(key))
      return problem
    }
    return undefined
  }
}
