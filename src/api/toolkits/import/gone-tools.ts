import type { Principal } from '../../../core/access/principal.ts'
import type { Catalog } from '../../../core/catalog/catalog.ts'
import { getImportOrigin } from '../../../core/publish/import.ts'
import { type ImportResult, toSourceKey } from '../../../core/publish/import-tools.ts'

const FORMAT = {
  name: 'import origin',
  write: ({ id, tool, source, implementation }) =>
    [id, tool, getImportOrigin(source.dialect, implementation)].join('\n'),
} satisfies Parameters<Catalog['list']>[2]
const PAGE_TOOLS = 1_000

/** Finds listed tools of a toolkit that came from the source of an import and are no longer in it. */
export async function findGoneTools(
  { sourceKeys, origins }: ImportResult,
  { toolkit, isSelected }: { readonly toolkit: string; readonly isSelected: (tool: string) => boolean },
  catalog: Pick<Catalog, 'list'>,
  principal: Principal,
): Promise<readonly string[]> {
  const gone: string[] = []
  let cursor: string | undefined
  do {
    const query = { toolkit, versions: 'newest', limit: PAGE_TOOLS, cursor } as const
    const listing = await catalog.list(query, principal, FORMAT)
    for (const line of listing?.lines ?? []) {
      const [id = '', tool = '', origin = ''] = line.split('\n')
      if (origins.has(origin) && !sourceKeys.has(toSourceKey(tool)) && isSelected(tool)) gone.push(id)
    }
    cursor = listing?.nextCursor
  } while (cursor !== undefined)
  return gone
}
