import { applyPolicyToRecord, type Policies } from '../../core/access/policy.ts'
import { hasScope, maySee, type Principal, type Scope } from '../../core/access/principal.ts'
import { isAdministrator, mayPublish, type ToolkitStore } from '../../core/access/toolkit-owner.ts'
import type { ToolWithStatus } from '../../core/call/readiness.ts'
import { getListed, type Resolver } from '../../core/call/resolve-tool.ts'
import type { WaitUntil } from '../../core/tool/platform.ts'
import { isVersion, parseToolId } from '../../core/tool/tool-id.ts'
import { parseToolRef } from '../../core/tool/tool-ref.ts'
import type { ToolSource } from '../../core/tool/tool-source.ts'
import type { ToolEntry, ToolRecord } from '../../core/tool/tool.ts'
import { compareVersions, resolveVersion, withoutPending } from '../../core/tool/version.ts'

type Toolkits = Pick<ToolkitStore, 'find'>

export interface FindToolDeps {
  readonly source: Pick<ToolSource, 'loadCurrent' | 'loadRecord'>
  readonly resolver: Pick<Resolver, 'resolve' | 'suggest'>
  readonly policies: Policies
  readonly toolkits: Toolkits
}

interface FoundTool extends ToolWithStatus {
  /** The record as readers of the tool see it. */
  readonly listed: ToolRecord
}

/** Also finds disabled versions, pending ones for callers who may change them, and deleted toolkits for administrators. */
export function createFindTool({ source, resolver, policies, toolkits }: FindToolDeps, scope: Scope) {
  return async (ref: string, principal: Principal, background: WaitUntil): Promise<FoundTool | undefined> => {
    const tool = await find(ref, principal, background)
    return tool && maySee(principal, tool.record, scope) ? tool : undefined
  }

  async function find(ref: string, principal: Principal, background: WaitUntil): Promise<FoundTool | undefined> {
    const resolution = await resolver.resolve(parseToolRef(ref), principal.view, background)
    if (resolution.ok) {
      const { tool, status, publisher, toolkitDescription } = resolution
      return {
        record: tool.record,
        listed: withToolkitDescription(getListed(resolution), toolkitDescription),
        runnable: tool.runnable,
        status,
        publisher,
      }
    }
    // A view shows only callable tools
    if (principal.view) return undefined
    const { failure } = resolution
    const isDisabled = failure.type === 'tool-disabled'
    const id = parseToolId(isDisabled ? failure.id : ref)
    const mayBePending = isVersion(id?.range ?? '') && hasScope(principal, 'tools:publish')
    const mayBeDeleted = failure.type === 'tool-unknown' && isAdministrator(principal)
    if (!id || !(isDisabled || mayBePending || mayBeDeleted)) return undefined
    const toolEntry = await source.loadCurrent(id)
    if (!toolEntry) return undefined
    // A deleted toolkit has no active version
    const [highest] = toolEntry.versions.toSorted((a, b) => compareVersions(b.version, a.version))
    const entry = id.range === undefined ? highest : resolveVersion(toolEntry.versions, id.range)
    if (!entry) return undefined
    const isPending = entry.status.state === 'pending'
    const mayRead = toolEntry.isDeleted ? isAdministrator(principal) : isDisabled || isPending
    if (!mayRead || (isPending && !(await mayReadPendingVersions(toolEntry, principal, toolkits)))) return undefined
    const record = await source.loadRecord(entry.digest)
    if (!record) return undefined
    const governedRecord = applyPolicyToRecord(record, policies.current().policyFor(record))
    return {
      record: governedRecord,
      listed: withToolkitDescription(governedRecord, toolEntry.toolkitDescription),
      status: entry.status,
      publisher: entry.publisher,
    }
  }
}

function withToolkitDescription(record: ToolRecord, toolkitDescription: string | undefined): ToolRecord {
  return toolkitDescription === undefined ? record : { ...record, toolkitDescription }
}

export async function withoutHiddenVersions(principal: Principal, toolEntry: ToolEntry, toolkits: Toolkits) {
  const publishedEntry = withoutPending(toolEntry)
  return publishedEntry === toolEntry || !(await mayReadPendingVersions(toolEntry, principal, toolkits))
    ? publishedEntry
    : toolEntry
}

async function mayReadPendingVersions(
  toolEntry: ToolEntry,
  principal: Principal,
  toolkits: Toolkits,
): Promise<boolean> {
  if (isAdministrator(principal)) return true
  const owner = (await toolkits.find(toolEntry.toolkit))?.owner
  return owner !== undefined && mayPublish(principal, toolEntry, owner)
}
