import type { Validate } from '../schema/validator.ts'
import { fail, type FailureResult } from '../failure/failure.ts'
import { checkArtifactOutput } from './artifact-output.ts'
import type { ArtifactStore } from './artifact-store.ts'
import type { CallState } from './call-state.ts'
import { offloadOutput, storeWholeOutput } from './large-output.ts'
import { ACCEPT_ALL, checkOutput, fitsInline } from './output.ts'
import type { RunOutcome } from './run.ts'
import type { ToolSuccess } from './runner.ts'

/** Validates the output, applies `select`, and replaces parts that are too large with links. */
export async function processOutput(
  { result, redactor }: RunOutcome,
  state: CallState,
  artifacts: ArtifactStore,
): Promise<ToolSuccess | FailureResult> {
  const { callId, record, tool, selector, inlineBytes, caller } = state
  const { givesArtifacts } = tool
  const { findArtifact } = caller
  const validateOutput: Validate = (value) => tool.validateOutput(value, caller.budget)
  const output = givesArtifacts
    ? checkArtifactOutput(result, record, validateOutput, redactor)
    : checkOutput(result, validateOutput, redactor)
  if (!output.ok) return output
  const selection = selector ? selector(output, caller.budget) : output
  const isSmall = selection.ok && fitsInline(selection, inlineBytes)
  // Even a small output is stored if the tool or the dialect declares it an artifact
  const mayBeArtifact = givesArtifacts || (selection.ok && (selection.artifact || (findArtifact && selection.content)))
  if (isSmall && !mayBeArtifact) return selection
  const { userId } = state.invocation
  const offloadOptions = {
    record,
    inlineBytes,
    isSmall,
    findArtifact,
    validateOutput: selector ? ACCEPT_ALL : validateOutput,
    owner: { callId, tool: record.id, principal: caller.principal.id, userId, requestUrl: caller.requestUrl },
    artifacts,
  }
  if (selection.ok) return offloadOutput(selection, offloadOptions)
  const artifact = await storeWholeOutput(output, offloadOptions)
  return fail({ type: 'select-failed', why: selection.why, ...(artifact ? { artifact } : {}) })
}
