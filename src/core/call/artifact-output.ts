import type { Validate } from '../schema/validator.ts'
import type { Content } from '../tool/content.ts'
import { isObject } from '../tool/json.ts'
import { anyJson, parseValue, integer, looseObject, string, stringMatching, hideValue } from '../tool/json-reader.ts'
import { declaredModes, givesArtifacts } from '../tool/metadata.ts'
import type { ToolRecord } from '../tool/tool.ts'
import { type FailureResult, fail, ok, type Result } from '../failure/failure.ts'
import type { Redactor } from './redact.ts'
import { checkOutput, ACCEPT_ALL } from './output.ts'
import type { ToolSuccess, ToolResult } from './runner.ts'

/** Open Tool Calling RFC, section 4.3. Callers open the URL, so only schemes that just fetch are allowed. */
const ARTIFACT = looseObject({
  url: stringMatching("an 'https:', 'http:' or 'data:' URL", /^(?:https?:\/\/[^/\s]|data:)/i, Infinity),
  content_type: string({ min: 1, max: 256 }),
  size: integer(0, Number.MAX_SAFE_INTEGER),
  meta: looseObject({ description: string() }),
})
/** Problems do not quote the output, which is not redacted yet. */
const VALUE = hideValue(looseObject({ artifact: ARTIFACT, value: anyJson }))

/** Reads a value `{"artifact": …}` as an artifact, with the `value` beside it for other dialects. */
export function readArtifact(result: ToolSuccess): Result<ToolSuccess> {
  if (result.artifact || !isObject(result.value) || !('artifact' in result.value)) return ok(result)
  const parsedValue = parseValue(VALUE, result.value)
  if (!parsedValue.ok) return fail({ type: 'output-invalid', problems: parsedValue.problems })
  const { artifact, value = null } = parsedValue.value
  return ok({ ...result, value, artifact })
}

/** Checks an output of a tool that declares artifacts. Such an output needs no value if it has an artifact. */
export function checkArtifactOutput(
  result: ToolResult,
  record: Pick<ToolRecord, 'metadata'>,
  validateOutput: Validate,
  redactor: Redactor | undefined,
): ToolSuccess | FailureResult {
  const artifactResult = result.ok ? readArtifact(result) : undefined
  if (artifactResult?.ok === false) return artifactResult
  const output = artifactResult?.value ?? result
  const isArtifactOnly =
    output.ok && hasNoValue(output) && (output.artifact ?? findArtifactContent(record, output)) !== undefined
  return checkOutput(output, isArtifactOnly ? ACCEPT_ALL : validateOutput, redactor)
}

/** Finds the only content block, if it has bytes and the tool declares that they are an artifact. */
export function findArtifactContent(record: Pick<ToolRecord, 'metadata'>, success: ToolSuccess): Content | undefined {
  const block = success.content?.length === 1 ? success.content[0] : undefined
  if (!block || !givesArtifacts(record)) return undefined
  const isArtifact = hasNoValue(success) || declaredModes(record)?.includes('value') === false
  const isBytes = 'data' in block || (block.type === 'resource' && 'blob' in block.resource)
  return isArtifact && isBytes ? block : undefined
}

function hasNoValue({ value }: ToolSuccess): boolean {
  return value === null || value === undefined
}
