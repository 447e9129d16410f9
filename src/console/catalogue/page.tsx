import { hasScope } from '../../core/access/principal.ts'
import type { ListedTool } from '../listed-tool.ts'
import type { Leads, Reply, View, Visit } from '../page.ts'
import { Notice, Refused } from '../parts.tsx'
import { failureOf } from '../reply.ts'
import { type Found, FoundTools, FROM } from './found.tsx'
import { hrefOf, type ListedToolkit, queryOf, Search, searchOf, type ToolSearch } from './search.tsx'

const LIMIT = 30

/** The tools that somebody may see: by words, by toolkit and by tag, a page at a time; and what waits for them. */
export async function show(visit: Visit): Promise<View | Leads> {
  const search = searchOf(visit)
  const mayPublish = hasScope(visit.principal, 'tools:publish')
  const isFirst = hrefOf(search, {}) === '/' && search.cursor === ''
  const [list, toolkits, waiting] = await Promise.all([
    visit.ask<Found>('GET', `/tools?${queryOf({ ...search, format: 'summary', limit: String(LIMIT) })}`),
    visit.ask<{ items: readonly ListedToolkit[] }>('GET', '/toolkits'),
    isFirst && mayPublish ? visit.ask<Found>('GET', `/tools?status=pending&format=summary&limit=${LIMIT}`) : undefined,
  ])
  return {
    title: search.q ? `Tools for “${search.q.slice(0, 100)}”` : 'Tools',
    content: (
      <>
        {waiting?.ok ? <Waiting {...waiting.value} /> : undefined}
        {visit.isOpen && isFirst ? (
          <FirstSteps origin={visit.url.origin} tool={firstToCall(list.value.items ?? [])?.id} />
        ) : undefined}
        <Search search={search} toolkits={toolkits} />
        {list.ok ? (
          <FoundTools
            search={search}
            found={list.value}
            from={fromOf(visit.url.searchParams)}
            total={totalOf(search, list.value, toolkits)}
            mayPublish={mayPublish}
          />
        ) : (
          <Refused failure={failureOf(list)} />
        )}
      </>
    ),
  }
}

/** How many versions wait for somebody who reviews them. */
function Waiting({ items, next_cursor }: Found) {
  if (items.length === 0) return undefined
  const count = next_cursor === undefined ? String(items.length) : `${items.length} and more`
  return (
    <Notice>
      <p>
        <a href="/console/versions">
          {items.length === 1 && next_cursor === undefined ? '1 version waits' : `${count} versions wait`} for review
        </a>
      </p>
    </Notice>
  )
}

/** One that needs nothing can be called at once. */
function firstToCall(items: readonly ListedTool[]): ListedTool | undefined {
  return items.find(({ requirements }) => requirements === undefined) ?? items[0]
}

function fromOf(query: URLSearchParams): number {
  const [from = '1'] = /^[1-9]\d{0,8}$/.exec(query.get(FROM) ?? '') ?? []
  return query.get('cursor') ? Number(from) : 1
}

/** How many tools all pages have together, where that is known: nobody counts those of a tag, or all versions. */
function totalOf(
  { q, toolkit, tag, versions }: ToolSearch,
  { total }: Found,
  toolkits: Reply<{ items: readonly ListedToolkit[] }>,
): number | undefined {
  if (q !== '' || tag !== '' || versions !== '' || !toolkits.ok) return total
  const meant = toolkits.value.items.filter(
    (each) => toolkit === '' || each.toolkit.toLowerCase() === toolkit.toLowerCase(),
  )
  return meant.length === 0 ? undefined : meant.reduce((sum, { tools }) => sum + tools, 0)
}

/** The first things to do with a Switchboard that was just started on one's own machine. */
function FirstSteps({ origin, tool }: { origin: string; tool: string | undefined }) {
  const [name] = (tool ?? '').split('@')
  return (
    <section class="panel" aria-labelledby="first">
      <h2 id="first">First</h2>
      <ol>
        <li>
          Call a tool: {name ? <a href={`/console/tools/${encodeURIComponent(name)}`}>{name}</a> : 'any of those below'}{' '}
          has a form, and the same call for each dialect.
        </li>
        <li>
          Connect an agent to <code>{origin}/mcp</code>: <a href="/docs/agents">how each host is told</a>. No key is
          needed on this machine.
        </li>
        <li>
          Write a tool: a file such as <code>tools/Weather/Today.ts</code> is served as <code>Weather.Today</code> when
          you save it.
        </li>
      </ol>
      <p class="note">
        This Switchboard lets in whoever comes from this machine, as an administrator, since it was started with
        ACCESS=open. It asks for keys once it is deployed.
      </p>
    </section>
  )
}
