import type { CallRecord } from '../../core/call/record.ts'
import { parseToolId } from '../../core/tool/tool-id.ts'

export interface CallGroup {
  readonly principal: string
  readonly user: string | undefined
  readonly parts: ReturnType<typeof partsOf>
  readonly outcome: string
  readonly dialect: string
  /** In order of arrival; `place` counts within the batch. */
  readonly calls: { readonly place: number; readonly call: CallRecord }[]
}

/** The many calls of a second are mostly few callers' of few tools, so grouping saves rows. */
export function groupCalls(calls: readonly CallRecord[]): readonly CallGroup[] {
  const groups = new Map<string, CallGroup>()
  for (const [place, call] of calls.entries()) {
    const { principal, user_id: user, tool, digest, outcome, dialect } = call
    const key = JSON.stringify([principal, user, tool, digest !== undefined, outcome, dialect])
    const known = groups.get(key)
    if (known) known.calls.push({ place, call })
    else groups.set(key, { principal, user, parts: partsOf(call), outcome, dialect, calls: [{ place, call }] })
  }
  return [...groups.values()]
}

/** Without a version where none was available; empty where there is no such tool. */
function partsOf({ tool: id, digest, outcome }: CallRecord): readonly [toolkit: string, tool: string, version: string] {
  if (digest !== undefined) {
    const [tool = '', version = ''] = id.split('@', 2)
    return [tool.split('.', 1)[0] ?? '', tool, version]
  }
  const named = outcome === 'version-unavailable' ? parseToolId(id) : undefined
  return named ? [named.toolkit, `${named.toolkit}.${named.tool}`, ''] : ['', '', '']
}
