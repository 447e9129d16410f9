import { hasScope } from '../../core/access/principal.ts'
import type { ListedTool } from '../listed-tool.ts'
import type { Leads, Reply, View, Visit } from '../page.ts'
import { Notice, Refused } from '../parts.tsx'
import { failureOf } from '../reply.ts'
import { type Asked, askedOf, hrefOf, type ListedToolkit, queryOf } from './asked.ts'
import { FirstSteps } from './first-steps.tsx'
import { type Found, FoundTools, FROM } from './found.tsx'
import { Search } from './search.tsx'

const LIMIT = 30

/** The tools that somebody may see: by words, by toolkit and by tag, a page at a time; and what waits for them. */
export async function show(visit: Visit): Promise<View | Leads> {
  const asked = askedOf(visit)
  const mayPublish = hasScope(visit.principal, 'tools:publish')
  const isFirst = hrefOf(asked, {}) === '/' && asked.cursor === ''
  const [list, toolkits, waiting] = await Promise.all([
    visit.ask<Found>('GET', `/tools?${queryOf({ ...asked, format: 'summary', limit: String(LIMIT) })}`),
    visit.ask<{ items: readonly ListedToolkit[] }>('GET', '/toolkits'),
    isFirst && mayPublish ? visit.ask<Found>('GET', `/tools?status=pending&format=summary&limit=${LIMIT}`) : undefined,
  ])
  return {
    title: asked.q ? `Tools for “${asked.q.slice(0, 100)}”` : 'Tools',
    content: (
      <>
        {waiting?.ok ? <Waiting {...waiting.value} /> : undefined}
        {visit.isOpen && isFirst ? (
          <FirstSteps origin={visit.url.origin} tool={firstToCall(list.value.items ?? [])?.id} />
        ) : undefined}
        <Search asked={asked} toolkits={toolkits} />
        {list.ok ? (
          <FoundTools
            asked={asked}
            found={list.value}
            from={fromOf(visit.url.searchParams)}
            total={totalOf(asked, list.value, toolkits)}
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
  { q, toolkit, tag, versions }: Asked,
  { total }: Found,
  toolkits: Reply<{ items: readonly ListedToolkit[] }>,
): number | undefined {
  if (q !== '' || tag !== '' || versions !== '' || !toolkits.ok) return total
  const meant = toolkits.value.items.filter(
    (each) => toolkit === '' || each.toolkit.toLowerCase() === toolkit.toLowerCase(),
  )
  return meant.length === 0 ? undefined : meant.reduce((sum, { tools }) => sum + tools, 0)
}
