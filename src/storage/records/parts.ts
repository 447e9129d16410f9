import type { CallRecord } from '../../core/call/record.ts'

/** The tool of a call as records are asked for it: `Toolkit.Tool@1.0.0` in its parts; nothing where no tool was found. */
export function partsOf({ tool: id, digest }: CallRecord): readonly [toolkit: string, tool: string, version: string] {
  if (digest === undefined) return ['', '', '']
  const [tool = '', version = ''] = id.split('@', 2)
  return [tool.split('.', 1)[0] ?? '', tool, version]
}
