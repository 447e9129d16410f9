import type { FoundTool } from '../../core/call/readiness.ts'
import type { Resolver } from '../../core/call/resolve.ts'
import type { Background } from '../../core/tool/platform.ts'
import { askedByIdOrName, parseToolId } from '../../core/tool/tool-id.ts'
import type { ToolSource } from '../../core/tool/tool-source.ts'
import { resolveVersion } from '../../core/tool/version.ts'

export interface FindToolDeps {
  readonly source: Pick<ToolSource, 'current' | 'record'>
  readonly resolver: Pick<Resolver, 'resolve'>
}

/** The record that an id, or a name, stands for; also one that is disabled, which no call would reach. */
export type FindTool = (asked: string, background: Background) => Promise<FoundTool | undefined>

export function createFindTool({ source, resolver }: FindToolDeps): FindTool {
  return async (asked, background) => {
    const resolved = await resolver.resolve(askedByIdOrName(asked), background)
    if (resolved.ok) {
      const { tool, status, publisher } = resolved
      return { record: tool.record, runnable: tool.runnable, status, publisher }
    }
    if (resolved.failure.type !== 'tool-disabled') return undefined
    const id = parseToolId(resolved.failure.id)
    const entry = id && resolveVersion((await source.current(id))?.versions ?? [], id.selector)
    const record = entry && (await source.record(entry.digest))
    return record && { record, status: entry.status, publisher: entry.publisher }
  }
}
