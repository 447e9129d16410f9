import type { Validate } from '../schema/validator.ts'
import { jsonSize } from '../tool/json-size.ts'
import { type Failing, type Failure, fail } from '../failure/failure.ts'
import type { Redactor } from './redact.ts'
import type { Success, ToolResult } from './runner.ts'

/** For outputs without a value, or without a schema that describes it. */
export const NOT_JUDGED: Validate = () => []

/** The most bytes of an output, as JSON, in an answer: a larger one is kept and linked to. */
export const MAX_INLINE = 262_144

const MAX_OUTPUT_DEPTH = 500

/** Validates a tool's result against its output schema, and redacts it. */
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
  // No output at all is null on every wire
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

export function fits({ value, content, artifact }: Success): boolean {
  let left = MAX_INLINE - jsonSize(value, MAX_INLINE)
  if (content && left >= 0) left -= jsonSize(content, left)
  if (artifact && left >= 0) left -= jsonSize(artifact, left)
  return left >= 0
}

/** For dialects whose results hold to the output schema: fails with the link where the schema allows no value that has it. */
export function asValue(success: Success): Success | Failing {
  const { value, elsewhere } = success
  return elsewhere && value === undefined ? fail({ type: 'output-elsewhere', artifact: elsewhere }) : success
}
