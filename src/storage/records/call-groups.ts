import type { CallRecord } from '../../core/call/record.ts'
import { parseToolId } from '../../core/tool/tool-id.ts'

/** Calls that came together and have in common what they are asked for by. */
export interface CallGroup {
  readonly principal: string
  readonly user: string | undefined
  readonly parts: ReturnType<typeof partsOf>
  readonly outcome: string
  readonly dialect: string
  /** In the order that they came in, each with its place among all that came together. */
  readonly calls: { readonly place: number; readonly call: CallRecord }[]
}

/** Brings together what has everything in common, since the many calls of a second are mostly few callers' of few tools. */
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

/**
 * The tool of a call as records are asked for it: `Toolkit.Tool@1.0.0` in its parts; without a version where none of a tool that is
 * there was available, and nothing where there is no such tool.
 */
function partsOf({ tool: id, digest, outcome }: CallRecord): readonly [toolkit: string, tool: string, version: string] {
  if (digest !== undefined) {
    const [tool = '', version = ''] = id.split('@', 2)
    return [tool.split('.', 1)[0] ?? '', tool, version]
  }
  const asked = outcome === 'version-unavailable' ? parseToolId(id) : undefined
  return asked ? [asked.toolkit, `${asked.toolkit}.${asked.tool}`, ''] : ['', '', '']
}
