import { governed, type Policies } from '../../core/access/policy.ts'
import type { Principal } from '../../core/access/principal.ts'
import { isAdministrator } from '../../core/access/toolkit.ts'
import type { FoundTool } from '../../core/call/readiness.ts'
import type { Resolver } from '../../core/call/resolve.ts'
import type { Background } from '../../core/tool/platform.ts'
import { askedByIdOrName, parseToolId } from '../../core/tool/tool-id.ts'
import type { ToolSource } from '../../core/tool/tool-source.ts'
import { compareVersions, resolveVersion } from '../../core/tool/version.ts'

export interface FindToolDeps {
  readonly source: Pick<ToolSource, 'current' | 'record'>
  readonly resolver: Pick<Resolver, 'resolve'>
  readonly policies: Policies
}

/**
 * The record that an id, or a name, stands for; also one that is disabled, which no call would reach, and for administrators one of
 * a toolkit that was deleted.
 */
export type FindTool = (asked: string, principal: Principal, background: Background) => Promise<FoundTool | undefined>

export function createFindTool({ source, resolver, policies }: FindToolDeps): FindTool {
  return async (asked, principal, background) => {
    const resolved = await resolver.resolve(askedByIdOrName(asked), background)
    if (resolved.ok) {
      const { tool, status, publisher } = resolved
      return { record: tool.record, runnable: tool.runnable, status, publisher }
    }
    const { failure } = resolved
    const isDisabled = failure.type === 'tool-disabled'
    if (!isDisabled && !(failure.type === 'tool-unknown' && isAdministrator(principal))) return undefined
    const id = parseToolId(isDisabled ? failure.id : asked)
    const document = id && (await source.current(id))
    if (!document || (!isDisabled && !document.isDeleted)) return undefined
    // Of a toolkit that was deleted no version is active
    const [highest] = document.versions.toSorted((a, b) => compareVersions(b.version, a.version))
    const entry = id.selector === undefined ? highest : resolveVersion(document.versions, id.selector)
    const record = entry && (await source.record(entry.digest))
    if (!record) return undefined
    const { status, publisher } = entry
    return { record: governed(record, policies.now().ruleOf(record)), status, publisher }
  }
}
