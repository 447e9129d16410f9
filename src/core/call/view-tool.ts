/**
 * Resolves tools as a caller's toolset and lock define them:
 *
 * 1. a name that the toolset assigns leads to its tool, and the tool's own name is refused with the new one
 * 2. the version is the lock's, or the newest in the toolset's range; if the caller requests another, it is refused
 * 3. the tool is shown with the toolset's texts, and called with its arguments
 * 4. under a lock, the shown tool must have the lock's digest
 */
import { hashLocked } from '../access/tool-lock.ts'
import { findChosenTool, toOwnRef, toViewName, type ChosenTool, type ToolView } from '../access/tool-view.ts'
import { findEntryProblem, getFixedArguments, toViewRecord } from '../access/view-record.ts'
import { fail, type FailureResult } from '../failure/failure.ts'
import type { Sha256 } from '../tool/digest.ts'
import type { WaitUntil } from '../tool/platform.ts'
import { formatToolId, parseToolId, toDerivedName, type ToolName } from '../tool/tool-id.ts'
import { formatToolRef, toIdRef, type ToolRef } from '../tool/tool-ref.ts'
import type { ToolRecord } from '../tool/tool.ts'
import { resolveVersion } from '../tool/version.ts'
import type { RecordResolver, ResolvedTool } from './resolve-tool.ts'

/** Formats a tool's text for the lock's digest, from its record as shown and its name as listed. */
export type FormatLocked = (record: ToolRecord, name: string) => string

export interface ViewDeps {
  readonly resolver: RecordResolver
  readonly formatLocked: FormatLocked
  readonly sha256: Sha256
}

type Resolution = ResolvedTool | FailureResult

export async function resolveInView(
  ref: ToolRef,
  view: ToolView,
  background: WaitUntil,
  deps: ViewDeps,
): Promise<Resolution> {
  const ownRef = toOwnRef(view, ref)
  const resolution = await deps.resolver.resolve(ownRef, background)
  const name = resolution.ok ? resolution.tool.record : getFailedName(ownRef, resolution)
  const choice = name && findChosenTool(view, name)
  if (!name || !choice) return resolution
  if (choice.entry?.name !== undefined && ownRef === ref) {
    const viewName = toViewName(name, choice.entry)
    const renamed = { id: formatToolId(viewName), name: toDerivedName(viewName) }
    return fail({ type: 'tool-renamed', ref: formatToolRef(ref), ...renamed })
  }
  const range = ref.kind === 'malformed' ? undefined : ref.range
  const wantedVersion = choice.lock?.version ?? choice.entry?.version
  const isChosen =
    resolution.ok && (wantedVersion === undefined || includesVersion(wantedVersion, resolution.tool.record.version))
  if (isChosen) return applyChoice(resolution, choice, deps)
  if (wantedVersion === undefined) return resolution
  if (resolution.ok && range !== undefined) return refuseVersion(resolution.tool.record, range, wantedVersion)
  const inRange = await deps.resolver.resolve(toIdRef(formatToolId(name, wantedVersion)), background)
  if (inRange.ok) return applyChoice(inRange, choice, deps)
  return choice.lock ? explainChange(formatToolId(name, wantedVersion), inRange) : inRange
}

export function includesVersion(range: string, version: string): boolean {
  return resolveVersion([{ version, status: { state: 'active' } }], range) !== undefined
}

/** Checks whether the text matches the locked digest. */
export async function isAsLocked(text: string, digest: string, sha256: Sha256): Promise<boolean> {
  return (await hashLocked(text, sha256)) === digest
}

async function applyChoice(resolvedTool: ResolvedTool, choice: ChosenTool, deps: ViewDeps): Promise<Resolution> {
  const { entry, lock } = choice
  const { record } = resolvedTool.tool
  const problem = entry && findEntryProblem(record, entry)
  if (problem !== undefined) return fail({ type: 'tool-changed', id: record.id, detail: problem })
  const listedRecord = toViewRecord(record, entry)
  if (lock && !(await isAsLocked(deps.formatLocked(listedRecord, lock.name), lock.digest, deps.sha256))) {
    const detail = 'a toolset or a policy shows its locked version otherwise now: lock it again'
    return fail({ type: 'tool-changed', id: listedRecord.id, detail })
  }
  const fixedArguments = entry && getFixedArguments(entry)
  return {
    ...resolvedTool,
    listed: listedRecord,
    tool: fixedArguments ? { ...resolvedTool.tool, fixedArguments } : resolvedTool.tool,
  }
}

/** Returns the name of the tool that a failed reference leads to. */
function getFailedName(ref: ToolRef, { failure }: FailureResult): ToolName | undefined {
  if (failure.type === 'tool-disabled') return parseToolId(failure.id)
  if (failure.type === 'version-unavailable') return parseToolId(failure.tool)
  return ref.kind === 'id' ? ref : undefined
}

function refuseVersion(record: ToolRecord, range: string, wantedVersion: string): FailureResult {
  const tool = formatToolId(record)
  return fail({ type: 'version-unavailable', tool, name: record.name, range, available: [wantedVersion] })
}

function explainChange(id: string, { failure }: FailureResult): FailureResult {
  const detail = failure.type === 'tool-disabled' ? 'its locked version is disabled' : 'its locked version is gone'
  return fail({ type: 'tool-changed', id, detail })
}
