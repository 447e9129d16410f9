import { type FailureResult, fail, type Result } from '../failure/failure.ts'
import type { Validate } from '../schema/validator.ts'
import { contentText } from '../tool/content.ts'
import { jsonSize } from '../tool/json.ts'
import type { Redactor } from './redact.ts'
import type { ToolSuccess, ToolResult } from './runner.ts'

/** In bytes of JSON. A model reads the whole answer. */
export const MODEL_INLINE_BYTES = 262_144

export const ACCEPT_ALL: Validate = () => []

const MAX_OUTPUT_DEPTH = 500

/** Checks the result of a run against the tool's output schema, and redacts it. */
export function checkOutput(
  result: ToolResult,
  validateOutput: Validate,
  redactor: Redactor | undefined,
): ToolSuccess | FailureResult {
  if ('asks' in result) {
    const { requests } = result.asks
    // `state` is not redacted: the dialect seals it, and only the tool reads it again
    return fail({ ...result.asks, type: 'input-required', requests: redactor ? redactor.value(requests) : requests })
  }
  if ('missing' in result) return fail(redactor ? redactor.fields(result.missing) : result.missing)
  if (!result.ok) {
    const { failure } = result
    return fail({ ...(redactor ? redactor.fields(failure) : failure), type: 'tool-failed' })
  }
  const value = result.value === undefined ? null : result.value
  const jsonProblem = findJsonProblem(value, MAX_OUTPUT_DEPTH)
  if (jsonProblem !== undefined) return fail({ type: 'output-invalid', problems: [{ path: '', message: jsonProblem }] })
  const problems = validateOutput(value)
  if (problems.length > 0) {
    // Paths contain property names that the tool chose
    const safe = problems.map(({ path, message }) => ({ path: redactor?.text(path) ?? path, message }))
    return fail({ type: 'output-invalid', problems: safe })
  }
  const { content, artifact, usage } = result
  const safe = redactor ? redactor.value(value) : value
  if (!content && !artifact && !usage) return { ok: true, value: safe }
  const contentFields = { ...(content && { content }), ...(artifact && { artifact }) }
  return {
    ok: true,
    value: safe,
    ...(redactor ? redactor.fields(contentFields) : contentFields),
    ...(usage && { usage }),
  }
}

/** Finds numbers that JSON would write as null, and limits the depth, since validation, redaction and serialization recurse. */
function findJsonProblem(value: unknown, levels: number): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'Must not hold a number that is not finite'
  if (typeof value !== 'object' || value === null) return undefined
  if (levels === 0) return `Must not nest deeper than ${MAX_OUTPUT_DEPTH} levels`
  if (Array.isArray(value)) {
    for (const item of value) {
      const reason = findJsonProblem(item, levels - 1)
      if (reason !== undefined) return reason
    }
    return undefined
  }
  // Listing an object's entries takes several times as long
  for (const key in value) {
    const reason = findJsonProblem(Reflect.get(value, key), levels - 1)
    if (reason !== undefined) return reason
  }
  return undefined
}

/** The most bytes of JSON that a character takes. */
const MAX_BYTES_PER_CHARACTER = 6

/** Checks whether the output takes at most `maxBytes` bytes of JSON. */
export function fitsInline({ value, content, artifact }: ToolSuccess, maxBytes: number): boolean {
  const isShort =
    typeof value === 'string' ? MAX_BYTES_PER_CHARACTER * (value.length + 1) <= maxBytes : typeof value !== 'object'
  if (isShort && !content && !artifact) return true
  let remaining = maxBytes - jsonSize(value, maxBytes)
  if (content && remaining >= 0) remaining -= jsonSize(content, remaining)
  if (artifact && remaining >= 0) remaining -= jsonSize(artifact, remaining)
  return remaining >= 0
}

/** Returns the value or, for answers that hold only a value, its substitute: the artifact, the text, or the content. */
export function toSingleValue({
  value,
  content = [],
  artifact,
}: Pick<ToolSuccess, 'value' | 'content' | 'artifact'>): unknown {
  if (value !== null && value !== undefined) return value
  if (artifact) return content.length === 0 ? { artifact } : { artifact, content }
  if (content.length === 0) return null
  return content.every(({ type }) => type === 'text') ? content.map(contentText).join('\n') : { content }
}

/** Returns the single value. Fails if the value is stored and the output schema allows no link in its place. */
export function toValueResult(success: ToolSuccess): Result<unknown> {
  const { value, elsewhere } = success
  if (elsewhere && value === undefined) return fail({ type: 'output-elsewhere', artifact: elsewhere })
  return { ok: true, value: toSingleValue(success) }
}
