import type { CallRecord } from '../../core/call/record.ts'
import { parseToolId } from '../../core/tool/tool-id.ts'

/**
 * The tool of a call as records are asked for it: `Toolkit.Tool@1.0.0` in its parts; without a version where none of a tool that is
 * there was available, and nothing where there is no such tool.
 */
export function partsOf({
  tool: id,
  digest,
  outcome,
}: CallRecord): readonly [toolkit: string, tool: string, version: string] {
  if (digest !== undefined) {
    const [tool = '', version = ''] = id.split('@', 2)
    return [tool.split('.', 1)[0] ?? '', tool, version]
  }
  const asked = outcome === 'version-unavailable' ? parseToolId(id) : undefined
  return asked ? [asked.toolkit, `${asked.toolkit}.${asked.tool}`, ''] : ['', '', '']
}
