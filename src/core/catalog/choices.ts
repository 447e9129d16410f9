import type { Catalog, LineFormat } from './catalog.ts'
import { findCallDenial, type ToolWithLevel, type Principal } from '../access/principal.ts'

export interface ToolkitChoice {
  readonly toolkit: string
  readonly tools: readonly string[]
  readonly level: number
}

const PAGE = 1_000
const MAX_PAGES = 10
/** The same for every reader, since lines are kept for everybody. */
const LINE: LineFormat = {
  name: 'choice',
  write: ({ toolkit, tool, securityLevel, implementation }) =>
    JSON.stringify({ toolkit, tool, securityLevel, executable: implementation !== undefined }),
}

interface Counted extends ToolWithLevel {
  readonly executable: boolean
}

export async function listToolkitChoices(principal: Principal, catalog: Catalog): Promise<readonly ToolkitChoice[]> {
  const counted: Counted[] = []
  let cursor: string | undefined
  for (let page = 0; page < MAX_PAGES; page++) {
    const listing = await catalog.list({ versions: 'newest', limit: PAGE, cursor }, principal, LINE)
    for (const line of listing?.lines ?? []) {
      if (line === '') continue
      const tool: Counted = JSON.parse(line)
      if (tool.executable && !findCallDenial(principal, tool)) counted.push(tool)
    }
    cursor = listing?.nextCursor
    if (cursor === undefined) break
  }
  const toolkits = Map.groupBy(counted, ({ toolkit }) => toolkit.toLowerCase())
  return [...toolkits.values()].map((tools) => ({
    toolkit: tools[0]?.toolkit ?? '',
    tools: tools.map(({ tool }) => tool),
    level: Math.max(...tools.map(({ securityLevel }) => securityLevel)),
  }))
}
