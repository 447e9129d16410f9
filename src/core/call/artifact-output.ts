import type { Meter } from '../tool/budget.ts'
import type { Validate } from '../schema/validator.ts'
import type { Content } from '../tool/content.ts'
import { isObject } from '../tool/json.ts'
import { anything, check, integer, openObject, string, text, unquoted } from '../tool/json-reader.ts'
import { declaredModes, givesArtifacts } from '../tool/metadata.ts'
import type { ToolRecord } from '../tool/tool.ts'
import { type Failing, fail, ok, type Result } from '../failure/failure.ts'
import type { Redactor } from './redact.ts'
import { checkOutput, NOT_JUDGED } from './run.ts'
import type { Success, ToolResult } from './runner.ts'

/** Open Tool Calling RFC, section 4.3. Callers open the URL, so its scheme must be one that only fetches. */
const ARTIFACT = openObject({
  url: text("an 'https:', 'http:' or 'data:' URL", /^(?:https?:\/\/[^/\s]|data:)/i, Infinity),
  content_type: string({ least: 1, most: 256 }),
  size: integer(0, Number.MAX_SAFE_INTEGER),
  meta: openObject({ description: string() }),
})
/** Problems quote nothing of the output, which is not redacted yet. */
const VALUE = unquoted(openObject({ artifact: ARTIFACT, value: anything }))

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
  meter: Meter,
): Success | Failing {
  const read = result.ok && givesArtifacts(record) ? readArtifact(result) : undefined
  if (read?.ok === false) return read
  const given = read?.value ?? result
  const hasNoValue = given.ok && isInPlace(record, given)
  return checkOutput(given, hasNoValue ? NOT_JUDGED : validateOutput, redactor, meter)
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
