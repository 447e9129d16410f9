import type { Catalogue, LineFormat } from './catalogue.ts'
import { denial, type LevelledTool, type Principal } from '../access/principal.ts'

/** A toolkit, and what of it somebody may see, or let an agent use. */
export interface Choice {
  readonly toolkit: string
  readonly tools: readonly string[]
  /** The highest security level among these. */
  readonly level: number
}

const PAGE = 1_000
/** Tools of a page are read so often; a registry of more shows those of its first toolkits. */
const MAX_PAGES = 10
/** The lines do not depend on who asks, since they are kept for everybody. */
const LINE: LineFormat = {
  name: 'choice',
  write: ({ toolkit, tool, securityLevel, implementation }) =>
    JSON.stringify({ toolkit, tool, securityLevel, executable: implementation !== undefined }),
}

/** A tool, as far as it is judged whether it counts. */
interface Counted extends LevelledTool {
  readonly executable: boolean
}

/** The toolkits of which a principal may call any tool, in the order of their names, with these tools. */
export async function choicesOf(principal: Principal, catalogue: Catalogue): Promise<readonly Choice[]> {
  const counted: Counted[] = []
  let cursor: string | undefined
  for (let page = 0; page < MAX_PAGES; page++) {
    const listing = await catalogue.list({ versions: 'newest', limit: PAGE, cursor }, principal, LINE)
    for (const line of listing?.lines ?? []) {
      if (line === '') continue
      const tool: Counted = JSON.parse(line)
      if (tool.executable && !denial(principal, tool)) counted.push(tool)
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
