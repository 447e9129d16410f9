import type { Validate } from '../schema/validator.ts'
import { type Content, contentText } from '../tool/content.ts'
import { isObject, jsonSize } from '../tool/json.ts'
import { anything, check, integer, object, string, text, unquoted } from '../tool/json-reader.ts'
import { declaredModes, givesArtifacts } from '../tool/metadata.ts'
import type { ToolRecord } from '../tool/tool.ts'
import { type Failing, type Failure, fail, ok, type Result } from '../failure/failure.ts'
import type { Redactor } from './redact.ts'
import type { Success, ToolResult } from './runner.ts'

export const NOT_JUDGED: Validate = () => []

/** In bytes of JSON: a larger output is kept and linked to. */
export const MAX_INLINE = 262_144

const MAX_OUTPUT_DEPTH = 500

export function checkOutput(
  result: ToolResult,
  validateOutput: Validate,
  redactor: Redactor | undefined,
): Success | Failing {
  if ('asks' in result) {
    const { requests } = result.asks
    // Its state goes back to the tool, and is sealed on the way
    return fail({ ...result.asks, type: 'input-required', requests: redactor ? redactor.value(requests) : requests })
  }
  if (!result.ok) {
    const failure: Failure = { ...result.failure, type: 'tool-failed' }
    if (!redactor) return fail(failure)
    const { message, developer_message, forOperator, additional_prompt_content, content } = failure
    return fail({
      ...failure,
      message: redactor.text(message),
      ...(developer_message === undefined ? {} : { developer_message: redactor.text(developer_message) }),
      ...(forOperator === undefined ? {} : { forOperator: redactor.text(forOperator) }),
      ...(additional_prompt_content === undefined
        ? {}
        : { additional_prompt_content: redactor.text(additional_prompt_content) }),
      ...(content === undefined ? {} : { content: redactor.value(content) }),
    })
  }
  const value = result.value === undefined ? null : result.value
  const unsayable = whyUnsayable(value, MAX_OUTPUT_DEPTH)
  if (unsayable !== undefined) return fail({ type: 'output-invalid', problems: [{ path: '', message: unsayable }] })
  const problems = validateOutput(value)
  if (problems.length > 0) {
    // Paths hold property names, which the tool chose
    const safe = problems.map(({ path, message }) => ({ path: redactor?.text(path) ?? path, message }))
    return fail({ type: 'output-invalid', problems: safe })
  }
  const { content, artifact, usage } = result
  return {
    ok: true,
    value: redactor ? redactor.value(value) : value,
    ...(content ? { content: redactor ? redactor.value(content) : content } : {}),
    ...(artifact ? { artifact: redactor ? redactor.value(artifact) : artifact } : {}),
    ...(usage ? { usage } : {}),
  }
}

/** JSON writes infinite numbers as null, and validating, redacting and serialising recurse, so depth is bounded. */
function whyUnsayable(value: unknown, levels: number): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'Must not hold a number that is not finite'
  if (typeof value !== 'object' || value === null) return undefined
  if (levels === 0) return `Must not nest deeper than ${MAX_OUTPUT_DEPTH} levels`
  for (const each of Object.values(value)) {
    const reason = whyUnsayable(each, levels - 1)
    if (reason !== undefined) return reason
  }
  return undefined
}

/** Bytes of JSON that a character takes at most. */
const WIDEST = 6

export function fits({ value, content, artifact }: Success): boolean {
  const isShort = typeof value === 'string' ? WIDEST * (value.length + 1) <= MAX_INLINE : typeof value !== 'object'
  if (isShort && !content && !artifact) return true
  let left = MAX_INLINE - jsonSize(value, MAX_INLINE)
  if (content && left >= 0) left -= jsonSize(content, left)
  if (artifact && left >= 0) left -= jsonSize(artifact, left)
  return left >= 0
}

export function heldValue({ value, content = [], artifact }: Pick<Success, 'value' | 'content' | 'artifact'>): unknown {
  if (value !== null && value !== undefined) return value
  if (artifact) return content.length === 0 ? { artifact } : { artifact, content }
  if (content.length === 0) return null
  return content.every(({ type }) => type === 'text') ? content.map(contentText).join('\n') : { content }
}

export function valueOf(success: Success): Result<unknown> {
  const { value, elsewhere } = success
  if (elsewhere && value === undefined) return fail({ type: 'output-elsewhere', artifact: elsewhere })
  return ok(heldValue(success))
}

/** Open Tool Calling RFC, section 4.3. Callers open the URL, so its scheme must be one that only fetches. */
const ARTIFACT = object(
  {
    url: text("an 'https:', 'http:' or 'data:' URL", /^(?:https?:\/\/[^/\s]|data:)/i),
    content_type: string({ least: 1, most: 256 }),
    size: integer(0, Number.MAX_SAFE_INTEGER),
    meta: object({ description: string() }, { unknown: 'ignore' }),
  },
  { unknown: 'ignore' },
)
/** Problems quote nothing of the output, which is not redacted yet. */
const VALUE = unquoted(object({ artifact: ARTIFACT, value: anything }, { unknown: 'ignore' }))

/** A value `{"artifact": …}` is an artifact, with the `value` beside it for other dialects. */
export function readArtifact(result: Success): Result<Success> {
  if (result.artifact || !isObject(result.value) || !('artifact' in result.value)) return ok(result)
  const read = check(VALUE, result.value)
  if (!read.ok) return fail({ type: 'output-invalid', problems: read.problems })
  const { artifact, value = null } = read.value
  return ok({ ...result, value, artifact })
}

export function checkGivenOutput(
  result: ToolResult,
  record: Pick<ToolRecord, 'metadata'>,
  validateOutput: Validate,
  redactor: Redactor | undefined,
): Success | Failing {
  const read = result.ok && givesArtifacts(record) ? readArtifact(result) : undefined
  if (read?.ok === false) return read
  const given = read?.value ?? result
  const hasNoValue = given.ok && isInPlace(record, given)
  return checkOutput(given, hasNoValue ? NOT_JUDGED : validateOutput, redactor)
}

export function bytesGiven(record: Pick<ToolRecord, 'metadata'>, { value, content }: Success): Content | undefined {
  const block = content?.length === 1 ? content[0] : undefined
  if (!block || !givesArtifacts(record)) return undefined
  const isWanted = value === null || value === undefined || declaredModes(record)?.includes('value') === false
  const isBytes = 'data' in block || (block.type === 'resource' && 'blob' in block.resource)
  return isWanted && isBytes ? block : undefined
}

export function isInPlace(record: Pick<ToolRecord, 'metadata'>, result: Success): boolean {
  const hasNone = result.value === null || result.value === undefined
  return hasNone && givesArtifacts(record) && (result.artifact ?? bytesGiven(record, result)) !== undefined
}
