import { hasScope } from '../../core/access/principal.ts'
import { truncate } from '../../http/page/text.ts'
import type { ApiAnswers } from '../../api/answers.ts'
import type { PageResult, PageContext } from '../visit.ts'
import { parseRange, formatStart } from '../calls/range.tsx'
import { Markdown } from '../markdown.tsx'
import { toReplyView, Notice } from '../parts.tsx'
import { readOffset } from '../portion.ts'
import { buildQuery } from '../query.ts'
import { ConnectStep, SetupPanel } from '../setup/checks.tsx'
import { FoundTools, type FoundToolsPage } from './found.tsx'
import { buildHref, Search, readSearch, type ToolSearch } from './search.tsx'
import { ToolkitCards } from './toolkits.tsx'

const LIMIT = '30'
const WAITING = buildQuery({ status: 'pending', format: 'summary', limit: LIMIT })

export async function show(visit: PageContext): Promise<PageResult> {
  const search = readSearch(visit)
  const { view: _, ...query } = search
  const listTools = () =>
    visit.fetchRoute('GET /tools', { query: buildQuery({ ...query, format: 'summary', limit: LIMIT }) })
  const isFirst = buildHref(search, {}) === '/' && search.cursor === ''
  const mayPublish = hasScope(visit.principal, 'tools:publish')
  const mayConfigure = hasScope(visit.principal, 'admin') && !visit.isOpen
  const [found, toolkits, waiting, setup] = await Promise.all([
    isFirst ? undefined : listTools(),
    visit.fetchRoute('GET /toolkits'),
    isFirst && mayPublish ? visit.fetchRoute('GET /tools', { query: WAITING }) : undefined,
    isFirst && mayConfigure ? visit.fetchRoute('GET /setup') : undefined,
  ])
  const all = toolkits.ok ? toolkits.value.items : []
  const isNamed = ({ toolkit }: Toolkit) => toolkit.toLowerCase() === search.toolkit.toLowerCase()
  const chosen = all.find(isNamed)
  const isOverview = isFirst && all.length > 1
  const list = found ?? (isOverview ? undefined : await listTools())
  const isUnknown =
    toolkits.ok && search.toolkit !== '' && !chosen && list?.ok === true && list.value.items.length === 0
  return {
    ...buildTitle(search, chosen?.toolkit),
    ...(isUnknown ? { status: 404 as const } : {}),
    content: (
      <>
        {isUnknown ? <Notice isProblem>There is no toolkit “{truncate(search.toolkit, 100)}”.</Notice> : undefined}
        {waiting?.ok ? <Waiting {...waiting.value} /> : undefined}
        {setup?.ok ? <SetupPanel items={setup.value.items} origin={visit.url.origin} /> : undefined}
        {visit.isOpen && isFirst ? <FirstSteps origin={visit.url.origin} /> : undefined}
        <Search search={{ ...search, toolkit: chosen?.toolkit ?? search.toolkit }} toolkits={toolkits} />
        {chosen?.description === undefined ? undefined : <Markdown text={chosen.description} />}
        {isOverview ? await overview(visit, all) : undefined}
        {list &&
          toReplyView(list, (found) => (
            <FoundTools
              search={search}
              found={found}
              from={search.cursor ? readOffset(visit.url.searchParams) : 1}
              total={findTotal(search, found, search.toolkit === '' ? all : all.filter(isNamed))}
              mayPublish={mayPublish}
            />
          ))}
      </>
    ),
  }
}

async function overview(visit: PageContext, toolkits: readonly Toolkit[]) {
  const asked = visit.url.searchParams.get('sort')
  const order = asked === 'tools' || asked === 'calls' ? asked : 'name'
  const query = buildQuery({ since: formatStart(parseRange('week')), by: 'toolkit' })
  const usage = order === 'calls' ? await visit.fetchRoute('GET /usage', { query }) : undefined
  return <ToolkitCards visit={visit} toolkits={toolkits} order={order} usage={usage} />
}

function buildTitle({ q, toolkit, view }: ToolSearch, name = toolkit) {
  const trail = [{ text: 'Catalog', href: '/' }]
  if (q) return { title: `Tools for “${q.slice(0, 100)}”`, trail }
  if (toolkit) return { title: name.slice(0, 100), trail }
  return view ? { title: 'Tools', trail } : { title: 'Catalog' }
}

type Toolkit = ApiAnswers['GET /toolkits']['items'][number]

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

/** The tools of all pages together, where that is known: nobody counts those of a tag, or all versions. */
function findTotal({ q, tag, versions }: ToolSearch, { total }: FoundToolsPage, listed: readonly Toolkit[]) {
  if (q !== '' || tag !== '' || versions !== '' || listed.length === 0) return total
  return listed.reduce((sum, { tools }) => sum + tools, 0)
}

function FirstSteps({ origin }: { origin: string }) {
  return (
    <section class="panel" aria-labelledby="first">
      <h2 id="first">Get started</h2>
      <p>Switchboard is one URL for every tool an agent calls.</p>
      <ol>
        <li>Call a tool: open one below. Its page has a form, and the same call in each dialect.</li>
        <li>
          Write a tool: a file such as <code>tools/Weather/Today.ts</code> is served as <code>Weather.Today</code>{' '}
          seconds after you save it.
        </li>
        <li>Connect an agent. No key is needed on this machine.</li>
      </ol>
      <ConnectStep origin={origin} />
      <p class="note">
        This Switchboard was started with ACCESS=open: everybody on this machine is an administrator. A deployment asks
        for keys.
      </p>
    </section>
  )
}
