import { hasScope } from '../../core/access/principal.ts'
import { truncate } from '../../http/page/text.ts'
import type { ApiAnswers } from '../../api/answers.ts'
import type { PageResult, PageContext } from '../page-context.ts'
import { parseRange, formatStart } from '../calls/range.tsx'
import { formatCount } from '../calls/chart.tsx'
import { Markdown } from '../markdown.tsx'
import { toReplyView, Notice } from '../parts.tsx'
import { readOffset } from '../pagination.ts'
import { buildQuery } from '../query.ts'
import { ConnectStep, SetupPanel } from '../setup/checks.tsx'
import { SkillLinks } from './skill.tsx'
import { ToolCards, type ToolListPage } from './tool-cards.tsx'
import { buildHref, mayCut, Search, readSearch, type ToolSearch } from './search.tsx'
import { ToolkitCards } from './toolkits.tsx'

const PAGE_SIZE = '50'

export async function show(context: PageContext): Promise<PageResult> {
  const search = readSearch(context)
  const { view: _, ...filters } = search
  const query = { ...filters, results: mayCut(search) ? 'relevant' : '', format: 'summary', limit: PAGE_SIZE }
  const listTools = () => context.fetchRoute('GET /tools', { query: buildQuery(query) })
  const isFirst = buildHref(search, {}) === '/' && search.cursor === ''
  const mayPublish = hasScope(context.principal, 'tools:publish')
  const mayConfigure = hasScope(context.principal, 'admin') && !context.isOpen
  const [requestedTools, toolkits, setup] = await Promise.all([
    isFirst ? undefined : listTools(),
    context.fetchRoute('GET /toolkits'),
    isFirst && mayConfigure ? context.fetchRoute('GET /setup') : undefined,
  ])
  const allToolkits = toolkits.ok ? toolkits.value.items : []
  const isSearched = ({ toolkit }: Toolkit) => toolkit.toLowerCase() === search.toolkit.toLowerCase()
  const searchedToolkit = allToolkits.find(isSearched)
  const isOverview = isFirst && allToolkits.length > 1
  const tools = requestedTools ?? (isOverview ? undefined : await listTools())
  const isUnknown =
    toolkits.ok && search.toolkit !== '' && !searchedToolkit && tools?.ok === true && tools.value.items.length === 0
  const hasTokens = context.url.searchParams.has('tokens')
  const countedToolkit =
    searchedToolkit && hasTokens
      ? await context.fetchRoute('GET /toolkits', { query: buildQuery({ tokens: searchedToolkit.toolkit }) })
      : undefined
  const skillQuery = searchedToolkit && { query: buildQuery({ toolkit: searchedToolkit.toolkit }) }
  const skills = skillQuery && (await context.fetchRoute('GET /skills', skillQuery))
  return {
    ...buildTitle(search, searchedToolkit?.toolkit),
    ...(isUnknown ? { status: 404 as const } : {}),
    content: (
      <>
        {isUnknown ? <Notice isProblem>There is no toolkit “{truncate(search.toolkit, 100)}”.</Notice> : undefined}
        {setup?.ok ? <SetupPanel items={setup.value.items} origin={context.url.origin} /> : undefined}
        {context.isOpen && isFirst ? <FirstSteps origin={context.url.origin} /> : undefined}
        <Search search={{ ...search, toolkit: searchedToolkit?.toolkit ?? search.toolkit }} toolkits={toolkits} />
        {searchedToolkit?.description === undefined ? undefined : <Markdown text={searchedToolkit.description} />}
        <SkillLinks reply={skills} />
        {countedToolkit ? (
          toReplyView(countedToolkit, ({ items }) => (
            <p class="note">
              {formatCount(items.find(isSearched)?.tokens ?? 0, 'token')} of a model's context over MCP
            </p>
          ))
        ) : searchedToolkit && context.principal.kind !== 'anonymous' ? (
          <a href={buildHref(search, { tokens: '1' })}>Count tokens</a>
        ) : undefined}
        {isOverview ? await renderOverview(context, allToolkits) : undefined}
        {tools &&
          toReplyView(tools, (toolList) => (
            <ToolCards
              search={search}
              toolList={toolList}
              offset={search.cursor ? readOffset(context.url.searchParams) : 1}
              total={findTotal(search, toolList, search.toolkit === '' ? allToolkits : allToolkits.filter(isSearched))}
              mayPublish={mayPublish}
            />
          ))}
      </>
    ),
  }
}

async function renderOverview(context: PageContext, toolkits: readonly Toolkit[]) {
  const sort = context.url.searchParams.get('sort')
  const order = sort === 'tools' || sort === 'calls' ? sort : 'name'
  const query = buildQuery({ since: formatStart(parseRange('week')), by: 'toolkit' })
  const usage = order === 'calls' ? await context.fetchRoute('GET /usage', { query }) : undefined
  return <ToolkitCards context={context} toolkits={toolkits} order={order} usage={usage} />
}

function buildTitle({ q, toolkit, view }: ToolSearch, name = toolkit) {
  const trail = [{ text: 'Catalog', href: '/' }]
  if (q) return { title: `Tools for “${q.slice(0, 100)}”`, trail }
  if (toolkit) return { title: name.slice(0, 100), trail }
  return view ? { title: 'Tools', trail } : { title: 'Catalog' }
}

type Toolkit = ApiAnswers['GET /toolkits']['items'][number]

/** Finds the number of tools on all pages, if known: it is not counted for a tag or for all versions. */
function findTotal({ q, tag, versions }: ToolSearch, { total }: ToolListPage, toolkits: readonly Toolkit[]) {
  if (q !== '' || tag !== '' || versions !== '' || toolkits.length === 0) return total
  return toolkits.reduce((sum, { tools }) => sum + tools, 0)
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
