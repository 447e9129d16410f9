import { pointerStep } from '../../core/tool/problem.ts'

export const MAX_DEPTH = 136

/** The first thing that our JSON may not hold: `__proto__`, numbers beyond JSON, depth, or more than `most` characters. */
export function foreignJsonProblem(root: object, most = Infinity): string | undefined {
  const waiting: { readonly value: unknown; readonly path: string; readonly depth: number }[] = [
    { value: root, path: '', depth: 1 },
  ]
  let characters = 0
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value, path, depth } = next
    if (typeof value === 'number' && !Number.isFinite(value)) return `Has no number at '${path}'`
    if (typeof value === 'bigint') return `Has too large a number at '${path}'`
    if (typeof value !== 'object' || value === null) continue
    if (depth > MAX_DEPTH) return `Must not nest deeper than ${MAX_DEPTH} levels`
    if (Array.isArray(value) && value.length > most) return tooLarge(most)
    for (const [key, each] of Object.entries(value)) {
      characters += key.length + (typeof each === 'string' ? each.length : 1)
      if (characters > most) return tooLarge(most)
      if (key === '__proto__') return `Must not have the key '__proto__', got it at '${path}'`
      waiting.push({ value: each, path: path.length < 500 ? path + pointerStep(key) : path, depth: depth + 1 })
    }
  }
  return undefined
}

function tooLarge(most: number): string {
  return `Is larger than ${most} characters`
}
