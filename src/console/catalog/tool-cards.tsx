import type { ApiAnswers } from '../../api/answers.ts'
import { isPrerelease } from '../../core/tool/version.ts'
import { truncate } from '../../http/page/text.ts'
import { formatCount } from '../calls/chart.tsx'
import { toPlainText, removeTitle } from '../markdown.tsx'
import { Notice } from '../parts.tsx'
import { OFFSET_PARAMETER } from '../pagination.ts'
import { createMatchSplitter } from '../../core/search/matches.ts'
import { buildHref, mayCut, type ToolSearch } from './search.tsx'
import { type ListContext, Marked, ToolHeading, type ToolListItem, ToolTable } from './tool-table.tsx'

export type ToolListPage = ApiAnswers['GET /tools']

/** Longer lists are tables, which show more tools at once. */
const MAX_CARDS = 50

interface ToolCardsProps {
  readonly search: ToolSearch
  readonly toolList: ToolListPage
  readonly offset: number
  readonly total: number | undefined
  readonly mayPublish: boolean
}

export function ToolCards({ search, toolList, offset, total, mayPublish }: ToolCardsProps) {
  const { items, next_cursor, same_as = {} } = toolList
  if (items.length === 0 && next_cursor === undefined) return <NoTools search={search} mayPublish={mayPublish} />
  const isAll = search.versions === 'all'
  const isSameVersion = items.every(({ version }) => version === items[0]?.version && !isPrerelease(version))
  const sameTools = Map.groupBy(Object.keys(same_as), (id) => same_as[id])
  const list: ListContext = {
    versions: isAll ? 'each' : isSameVersion ? 'none' : 'newest',
    findSame: (id) => (mayCut(search) ? (sameTools.get(id) ?? []) : []),
    split: search.q === '' ? (text) => [text] : createMatchSplitter(search.q),
  }
  const last = offset + items.length - 1
  const isCut = mayCut(search) && total !== undefined && (total > last || offset > 1)
  const shownTotal = isCut ? undefined : total
  return (
    <>
      {items.length === 0 ? undefined : (
        <p class="note">
          {formatRange(offset, last, shownTotal, isAll)}
          {isCut ? ` ${items.length === 1 ? 'matches' : 'match'} best. ` : undefined}
          {isCut ? (
            <a href={buildHref(search, { results: 'all' })}>Show all {formatCount(total, 'tool')}</a>
          ) : undefined}
        </p>
      )}
      {(shownTotal ?? last + (next_cursor === undefined ? 0 : 1)) > MAX_CARDS ? (
        <ToolTable items={items} isGrouped={search.q === ''} list={list} />
      ) : (
        <ul class="cards even" aria-label="Tools">
          {items.map((tool) => (
            <Card tool={tool} list={list} />
          ))}
        </ul>
      )}
      <p>
        {search.cursor ? <a href={buildHref(search, {})}>First page</a> : undefined}{' '}
        {next_cursor === undefined ? undefined : (
          <a
            class="button"
            rel="next"
            href={buildHref(search, { cursor: next_cursor, [OFFSET_PARAMETER]: String(offset + items.length) })}
          >
            More tools
          </a>
        )}{' '}
        {mayPublish && (search.q || search.tag || search.toolkit) && (
          <a href={buildToolsetHref(search, items)}>New toolset of these tools</a>
        )}
      </p>
    </>
  )
}

/** Selects the whole toolkit unless the list is filtered further. */
function buildToolsetHref({ q, tag, toolkit }: ToolSearch, items: readonly ToolListItem[]): string {
  const names = q || tag ? new Set(items.map(({ id }) => id.replace(/@.*/, ''))) : [`${toolkit}.*`]
  return `/console/toolsets?${new URLSearchParams([['new', '1'], ...[...names].map((name) => ['tool', name])])}`
}

/** Links to other lists, because a tool without an active version is not in the lists for agents. */
function NoTools({ search, mayPublish }: Pick<ToolCardsProps, 'search' | 'mayPublish'>) {
  const { toolkit } = search
  const toolkitQuery = toolkit === '' ? '' : `?${new URLSearchParams({ toolkit })}`
  return (
    <Notice>
      <p>{buildHref(search, {}) === '/' ? 'No tools yet.' : 'No tools found.'}</p>
      <ul class="plain">
        {search.versions === 'all' ? undefined : (
          <li>
            <a href={buildHref(search, { versions: 'all' })}>Search all versions</a>, including older and deprecated
            ones
          </li>
        )}
        {mayPublish ? (
          <>
            <li>
              <a href={`/console/versions${toolkitQuery}`}>See pending versions</a>, and disabled ones
            </li>
            <li>
              <a href="/docs/publish">Publish a tool</a>, or <a href="/console/import">import tools</a>
            </li>
          </>
        ) : undefined}
        {buildHref(search, {}) === '/' ? undefined : (
          <li>
            <a href="/?view=tools">All tools</a>
          </li>
        )}
      </ul>
    </Notice>
  )
}

/** Formats `1–30 of 8,118 tools`. A total below the range is outdated, so it is left out. */
function formatRange(first: number, last: number, total: number | undefined, isAll: boolean): string {
  const formatNumber = (count: number) => count.toLocaleString('en')
  const range = first === last ? formatNumber(first) : `${formatNumber(first)}–${formatNumber(last)}`
  if (total === undefined || total < last) return `${isAll ? 'Version' : 'Tool'}${first === last ? '' : 's'} ${range}`
  return `${range} of ${formatCount(total, isAll ? 'version' : 'tool')}`
}

function Card({ tool, list }: { tool: ToolListItem; list: ListContext }) {
  const needs = listNeeds(tool.requirements ?? {})
  return (
    <li>
      <ToolHeading tool={tool} list={list} />
      <p dir="auto">
        <Marked text={truncate(toPlainText(removeTitle(tool.description, tool.title)))} split={list.split} />
      </p>
      {needs.length === 0 ? undefined : <p class="note">Needs {needs.join(', ')}</p>}
    </li>
  )
}

type Needs = NonNullable<ApiAnswers['GET /tools/:id?format=oxp-flat']['requirements']>

export function listNeeds({ authorization = [], secrets = [], user_id = false }: Needs): readonly string[] {
  return [
    ...authorization.map(({ id }) => `access to ${id}`),
    ...secrets.map(({ id }) => `the secret ${id}`),
    ...(user_id ? ['a user'] : []),
  ]
}
