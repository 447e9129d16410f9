import { governed, type Policies } from '../../core/access/policy.ts'
import { hasScope, maySee, type Principal, type Scope } from '../../core/access/principal.ts'
import { isAdministrator, mayReadPending, type ToolkitStore } from '../../core/access/toolkit-owner.ts'
import type { FoundTool } from '../../core/call/readiness.ts'
import type { Resolver } from '../../core/call/resolve-tool.ts'
import type { Background } from '../../core/tool/platform.ts'
import { askedByIdOrName, isVersion, parseToolId } from '../../core/tool/tool-id.ts'
import type { ToolSource } from '../../core/tool/tool-source.ts'
import type { ToolDocument, ToolRecord } from '../../core/tool/tool.ts'
import { compareVersions, resolveVersion, withoutPending } from '../../core/tool/version.ts'

type Toolkits = Pick<ToolkitStore, 'find'>

export interface FindToolDeps {
  readonly source: Pick<ToolSource, 'current' | 'record'>
  readonly resolver: Pick<Resolver, 'resolve'>
  readonly policies: Policies
  readonly toolkits: Toolkits
}

/** Also finds versions that are disabled, or pending for those who may change them; administrators see deleted toolkits. */
export function createFindTool({ source, resolver, policies, toolkits }: FindToolDeps, scope: Scope) {
  return async (asked: string, principal: Principal, background: Background): Promise<FoundTool | undefined> => {
    const found = await find(asked, principal, background)
    return found && maySee(principal, found.record, scope) ? found : undefined
  }

  async function find(asked: string, principal: Principal, background: Background): Promise<FoundTool | undefined> {
    const resolved = await resolver.resolve(askedByIdOrName(asked), background)
    if (resolved.ok) {
      const { tool, status, publisher, toolkitDescription } = resolved
      return { record: described(tool.record, toolkitDescription), runnable: tool.runnable, status, publisher }
    }
    const { failure } = resolved
    const isDisabled = failure.type === 'tool-disabled'
    const id = parseToolId(isDisabled ? failure.id : asked)
    const mayBePending = isVersion(id?.selector ?? '') && hasScope(principal, 'tools:publish')
    const mayBeDeleted = failure.type === 'tool-unknown' && isAdministrator(principal)
    if (!id || !(isDisabled || mayBePending || mayBeDeleted)) return undefined
    const document = await source.current(id)
    if (!document) return undefined
    // A deleted toolkit has no active version
    const [highest] = document.versions.toSorted((a, b) => compareVersions(b.version, a.version))
    const entry = id.selector === undefined ? highest : resolveVersion(document.versions, id.selector)
    if (!entry) return undefined
    const isPending = entry.status.state === 'pending'
    const mayRead = document.isDeleted ? isAdministrator(principal) : isDisabled || isPending
    if (!mayRead || (isPending && !(await seesPending(document, principal, toolkits)))) return undefined
    const record = await source.record(entry.digest)
    if (!record) return undefined
    const ruled = governed(record, policies.now().ruleOf(record))
    return { record: described(ruled, document.toolkitDescription), status: entry.status, publisher: entry.publisher }
  }
}

function described(record: ToolRecord, toolkitDescription: string | undefined): ToolRecord {
  return toolkitDescription === undefined ? record : { ...record, toolkitDescription }
}

export async function knownTo(principal: Principal, document: ToolDocument, toolkits: Toolkits) {
  const known = withoutPending(document)
  return known === document || !(await seesPending(document, principal, toolkits)) ? known : document
}

async function seesPending(document: ToolDocument, principal: Principal, toolkits: Toolkits): Promise<boolean> {
  if (isAdministrator(principal)) return true
  const owner = (await toolkits.find(document.toolkit))?.owner
  return owner !== undefined && mayReadPending(principal, document, owner)
}
