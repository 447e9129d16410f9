import { formatToolId } from '../../core/tool/tool-id.ts'
import type { ToolRecord } from '../../core/tool/tool.ts'

/** `x.y.z`, "where x, y, and z are integers" (OXP 1.0, "Metadata"). */
export function isSimpleVersion(version: string): boolean {
  return /^(?:0|[1-9]\d{0,14})(?:\.(?:0|[1-9]\d{0,14})){2}$/.test(version)
}

export interface OxpName {
  readonly toolkit: string
  readonly tool: string
  readonly version: string
}

/** Characters that OXP does not have are replaced. */
export function nameOf({ toolkit, tool, version }: ToolRecord): OxpName {
  const [simple = version] = version.split(/[-+]/)
  return { toolkit: plain(toolkit), tool: plain(tool), version: simple }
}

export function idOf(name: OxpName): string {
  return formatToolId(name, name.version)
}

function plain(part: string): string {
  return part.replaceAll(/[^A-Za-z0-9_]/g, '_')
}
