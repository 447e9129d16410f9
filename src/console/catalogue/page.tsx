import { hasScope } from '../../core/access/principal.ts'
import type { ApiAnswers } from '../../api/answers.ts'
import type { PageResult, PageVisit, Reply } from '../visit.ts'
import { FailureNotice, Notice } from '../parts.tsx'
import { queryOf } from '../query.ts'
import { FoundTools, FROM, type FoundToolsPage } from './found.tsx'
import { hrefOf, Search, searchOf, type ToolSearch } from './search.tsx'

const LIMIT = '30'
const WAITING = queryOf({ status: 'pending', format: 'summary', limit: LIMIT })

export async function show(visit: PageVisit): Promise<PageResult> {
  const search = searchOf(visit)
  const mayPublish = hasScope(visit.principal, 'tools:publish')
  const isFirst = hrefOf(search, {}) === '/' && search.cursor === ''
  const [list, toolkits, waiting] = await Promise.all([
    visit.ask('GET /tools', { query: queryOf({ ...search, format: 'summary', limit: LIMIT }) }),
    visit.ask('GET /toolkits'),
    isFirst && mayPublish ? visit.ask('GET /tools', { query: WAITING }) : undefined,
  ])
  // A tool that needs nothing can be called at once
  const first = list.ok ? (list.value.items.find((each) => !each.requirements) ?? list.value.items[0]) : undefined
  return {
    title: search.q ? `Tools for “${search.q.slice(0, 100)}”` : 'Tools',
    content: (
      <>
        {waiting?.ok ? <Waiting {...waiting.value} /> : undefined}
        {visit.isOpen && isFirst ? <FirstSteps origin={visit.url.origin} tool={first?.id} /> : undefined}
        <Search search={search} toolkits={toolkits} />
        <About toolkit={chosenOf(search, toolkits)} />
        {list.ok ? (
          <FoundTools
            search={search}
            found={list.value}
            from={fromOf(visit.url.searchParams)}
            total={totalOf(search, list.value, toolkits)}
            mayPublish={mayPublish}
          />
        ) : (
          <FailureNotice failure={list.failure} />
        )}
      </>
    ),
  }
}

type ToolkitsReply = Reply<ApiAnswers['GET /toolkits']>

function chosenOf({ toolkit }: ToolSearch, toolkits: ToolkitsReply) {
  const isChosen = (each: { toolkit: string }) => each.toolkit.toLowerCase() === toolkit.toLowerCase()
  return toolkits.ok ? toolkits.value.items.find(isChosen) : undefined
}

function About({ toolkit }: { toolkit: ReturnType<typeof chosenOf> }) {
  return toolkit?.description === undefined ? undefined : <p dir="auto">{toolkit.description}</p>
}

function Waiting({ items, next_cursor }: FoundToolsPage) {
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

function fromOf(query: URLSearchParams): number {
  const [from = '1'] = /^[1-9]\d{0,8}$/.exec(query.get(FROM) ?? '') ?? []
  return query.get('cursor') ? Number(from) : 1
}

/** The tools of all pages together, where that is known: nobody counts those of a tag, or all versions. */
function totalOf(
  { q, toolkit, tag, versions }: ToolSearch,
  { total }: FoundToolsPage,
  toolkits: ToolkitsReply,
): number | undefined {
  if (q !== '' || tag !== '' || versions !== '' || !toolkits.ok) return total
  const meant = toolkits.value.items.filter(
    (each) => toolkit === '' || each.toolkit.toLowerCase() === toolkit.toLowerCase(),
  )
  return meant.length === 0 ? undefined : meant.reduce((sum, { tools }) => sum + tools, 0)
}

function FirstSteps({ origin, tool }: { origin: string; tool: string | undefined }) {
  const [name] = (tool ?? '').split('@')
  return (
    <section class="panel" aria-labelledby="first">
      <h2 id="first">Get started</h2>
      <ol>
        <li>
          Call a tool: {name ? <a href={`/console/tools/${encodeURIComponent(name)}`}>{name}</a> : 'any of those below'}{' '}
          has a form, and the same call for each dialect.
        </li>
        <li>
          Connect an agent to <code>{origin}/mcp</code>: <a href="/docs/agents">how to set up each program</a>. No key
          is needed on this machine.
        </li>
        <li>
          Write a tool: a file such as <code>tools/Weather/Today.ts</code> is served as <code>Weather.Today</code> when
          you save it.
        </li>
      </ol>
      <p class="note">
        This Switchboard was started with ACCESS=open: everybody on this machine is an administrator. A deployment asks
        for keys.
      </p>
    </section>
  )
}
