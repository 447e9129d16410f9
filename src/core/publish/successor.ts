import { parseToolId, toolKey } from '../tool/tool-id.ts'
import type { ToolEntry } from '../tool/tool.ts'
import { resolveVersion, type ToolStatus } from '../tool/version.ts'

/** Returns a problem if the publisher cannot see the successor. `find` returns undefined for such a tool. */
export async function findUnknownSuccessor(
  status: ToolStatus | undefined,
  find: (id: string) => Promise<object | undefined>,
): Promise<string | undefined> {
  const successor = readSuccessor(status)
  const isKnown = successor === undefined || (await find(successor))
  return isKnown ? undefined : `The successor '${successor}' was not found`
}

/** Returns a problem if the successor would resolve to the version that it replaces, once that is deprecated. */
export function findOwnSuccessor(
  status: ToolStatus | undefined,
  tool: ToolEntry,
  deprecated: string,
): string | undefined {
  const successor = readSuccessor(status)
  const id = successor === undefined ? undefined : parseToolId(successor)
  if (!id || toolKey(id) !== toolKey(tool)) return undefined
  const versions = tool.versions.map(({ version, status }) =>
    version === deprecated ? { version, status: { state: 'deprecated' as const } } : { version, status },
  )
  if (resolveVersion(versions, id.range)?.version !== deprecated) return undefined
  return `The successor '${successor}' leads to the version that you deprecate: name another version or tool, or none`
}

/** Returns a problem if the successor is in the toolkit that is deprecated as a whole. */
export function findSuccessorInToolkit(status: ToolStatus | undefined, toolkit: string): string | undefined {
  const successor = readSuccessor(status)
  const id = successor === undefined ? undefined : parseToolId(successor)
  if (id?.toolkit.toLowerCase() !== toolkit.toLowerCase()) return undefined
  return `The successor '${successor}' is in the toolkit that you deprecate: name a tool of another, or none`
}

const readSuccessor = (status: ToolStatus | undefined) =>
  status?.state === 'deprecated' ? status.successor : undefined
