import type { ToolsetSummary } from '../../core/access/toolset.ts'
import type { PageContext, View } from '../page-context.ts'
import { paginate } from '../pagination.ts'
import { Notice, toReplyView } from '../parts.tsx'
import { type Column, Table } from '../table.tsx'

export const TOOLSETS_PATH = '/console/toolsets'

/** Rows on a page. */
const PAGE_SIZE = 50

export async function show(context: PageContext): Promise<View> {
  const list = await context.fetchRoute('GET /toolsets')
  return {
    title: 'Toolsets',
    content: (
      <>
        {context.url.searchParams.has('done') && <Notice>Toolset deleted.</Notice>}
        <p>A toolset is a named choice of tools, with the names, texts and arguments that models see of them.</p>
        {toReplyView(list, ({ items }) => (
          <Table
            label="Toolsets"
            columns={COLUMNS}
            {...paginate(context, items, PAGE_SIZE)}
            emptyMessage="No toolsets yet."
          />
        ))}
      </>
    ),
  }
}

const COLUMNS: readonly Column<ToolsetSummary>[] = [
  { title: 'Name', isName: true, isLong: true, cell: ({ name }) => <a href={buildToolsetHref(name)}>{name}</a> },
  { title: 'Title', isLong: true, cell: ({ title }) => title },
  { title: 'Entries', isNumber: true, cell: ({ tool_count }) => String(tool_count) },
  { title: 'Revision', isNumber: true, cell: ({ revision }) => String(revision) },
  { title: 'State', cell: formatState },
]

export function formatState({ enabled, pending }: { readonly enabled: boolean; readonly pending: boolean }): string {
  return `${enabled ? 'enabled' : 'disabled'}${pending ? ', a change waits for approval' : ''}`
}

export function buildToolsetHref(name: string): string {
  return `${TOOLSETS_PATH}/${encodeURIComponent(name)}`
}
