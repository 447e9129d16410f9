import type { Catalog, LineFormat } from './catalog.ts'
import { toOwnRef } from '../access/tool-view.ts'
import { findCallDenial, type ToolWithLevel, type Principal } from '../access/principal.ts'

export interface ToolkitChoice {
  readonly toolkit: string
  readonly tools: readonly string[]
  readonly level: number
}

const PAGE = 1_000
const MAX_PAGES = 10
/** The same for every reader, since cached lines are shared. */
const LINE: LineFormat = {
  name: 'choice',
  write: ({ toolkit, tool, securityLevel }) => JSON.stringify({ toolkit, tool, securityLevel }),
}

export async function listToolkitChoices(
  principal: Principal,
  catalog: Pick<Catalog, 'list'>,
): Promise<readonly ToolkitChoice[]> {
  const countedTools: ToolWithLevel[] = []
  let cursor: string | undefined
  const toOwnName = ({ toolkit, tool }: ToolWithLevel) => toOwnRef(principal.view, { kind: 'id', toolkit, tool })
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = { versions: 'newest', callable: true, limit: PAGE, cursor } as const
    const listing = await catalog.list(query, principal, LINE)
    const tools = (listing?.lines ?? []).map((line): ToolWithLevel => JSON.parse(line))
    countedTools.push(...tools.filter((tool) => !findCallDenial(principal, { ...tool, ...toOwnName(tool) })))
    cursor = listing?.nextCursor
    if (cursor === undefined) break
  }
  const toolkits = Map.groupBy(countedTools, ({ toolkit }) => toolkit.toLowerCase())
  return [...toolkits.values()].map((tools) => ({
    toolkit: tools[0]?.toolkit ?? '',
    tools: tools.map(({ tool }) => tool),
    level: Math.max(...tools.map(({ securityLevel }) => securityLevel)),
  }))
}
