import type { Leads, View, Visit } from '../page.ts'
import { Notice, Refused } from '../parts.tsx'
import { failureOf } from '../reply.ts'
import { FirstSteps } from './first-steps.tsx'

/** As `GET /tools` lists a tool. */
interface Listed {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly requirements?: {
    readonly authorization?: readonly { readonly id: string }[]
    readonly secrets?: readonly { readonly id: string }[]
    readonly user_id?: boolean
  }
}

/** As `GET /toolkits` lists one. */
interface ListedToolkit {
  readonly toolkit: string
  readonly tools: number
}

const LIMIT = 30
const MAX_DESCRIPTION = 240
/** Of so many toolkits each has a link; more are chosen in a field. */
const MAX_LINKS = 40
const FILTERS = ['q', 'toolkit', 'tag', 'cursor'] as const
/** Which tool a page begins with, for people; who changes it is told a wrong number. */
const FROM = 'from'

/** The tools that somebody may see: by words, by toolkit and by tag, a page at a time. */
export async function show(visit: Visit): Promise<View | Leads> {
  const { searchParams } = visit.url
  const asked = Object.fromEntries(FILTERS.map((name) => [name, searchParams.get(name)?.trim() ?? '']))
  const [list, toolkits] = await Promise.all([
    visit.ask<Found>('GET', `/tools?${queryOf(asked, LIMIT)}`),
    visit.ask<{ items: readonly ListedToolkit[] }>('GET', '/toolkits'),
  ])
  const named = toolkits.ok ? toolkits.value.items : []
  const isFirst = asked['q'] === '' && asked['toolkit'] === '' && asked['tag'] === '' && asked['cursor'] === ''
  return {
    title: asked['q'] ? `Tools for “${asked['q'].slice(0, 100)}”` : 'Tools',
    content: (
      <>
        {visit.isOpen && isFirst ? (
          <FirstSteps origin={visit.url.origin} tool={list.value.items?.[0]?.id} />
        ) : undefined}
        <Search asked={asked} toolkits={named} />
        {list.ok ? (
          <FoundTools
            asked={asked}
            found={list.value}
            from={fromOf(searchParams)}
            total={totalOf(asked, list.value, named)}
          />
        ) : (
          <Refused failure={failureOf(list)} />
        )}
      </>
    ),
  }
}

type Asked = Readonly<Record<string, string>>

/** As `GET /tools` answers; `total` of a search. */
interface Found {
  readonly items: readonly Listed[]
  readonly total?: number
  readonly next_cursor?: string
}

function fromOf(query: URLSearchParams): number {
  const [from = '1'] = /^[1-9]\d{0,8}$/.exec(query.get(FROM) ?? '') ?? []
  return query.get('cursor') ? Number(from) : 1
}

/** How many tools all pages have together, where that is known: nobody counts those of a tag. */
function totalOf({ q, toolkit, tag }: Asked, { total }: Found, toolkits: readonly ListedToolkit[]): number | undefined {
  if (q !== '' || tag !== '') return total
  const meant = toolkits.filter((each) => toolkit === '' || each.toolkit.toLowerCase() === toolkit?.toLowerCase())
  return meant.length === 0 ? undefined : meant.reduce((sum, { tools }) => sum + tools, 0)
}

function queryOf(asked: Asked, limit?: number): URLSearchParams {
  const given = Object.entries(asked).filter(([, value]) => value !== '')
  return new URLSearchParams([...given, ...(limit === undefined ? [] : [['limit', String(limit)]])])
}

function hrefOf(asked: Asked, change: Asked): string {
  const query = queryOf({ ...asked, cursor: '', ...change }).toString()
  return query === '' ? '/' : `/?${query}`
}

function Search({ asked, toolkits }: { asked: Asked; toolkits: readonly ListedToolkit[] }) {
  const { q = '', toolkit = '', tag = '' } = asked
  return (
    <search>
      <form class="row" method="get" action="/">
        <label>
          What should it do?
          <input type="search" name="q" value={q} maxlength={1000} placeholder="send a mail" />
        </label>
        <label>
          Toolkit
          <select name="toolkit">
            <option value="">All</option>
            {toolkits.map((each) => (
              <option value={each.toolkit} selected={each.toolkit.toLowerCase() === toolkit.toLowerCase()}>
                {each.toolkit} ({String(each.tools)})
              </option>
            ))}
          </select>
        </label>
        <label>
          Tag
          <input name="tag" value={tag} maxlength={100} />
        </label>
        <button class="go">Search</button>
      </form>
      {toolkits.length > 1 && toolkits.length <= MAX_LINKS ? (
        <ul class="chips" aria-label="Toolkits">
          {toolkits.map((each) => {
            const isChosen = each.toolkit.toLowerCase() === toolkit.toLowerCase()
            return (
              <li>
                <a
                  class="chip"
                  href={hrefOf(asked, { toolkit: isChosen ? '' : each.toolkit })}
                  {...(isChosen ? { 'aria-current': 'true' } : {})}
                >
                  {each.toolkit}
                </a>
              </li>
            )
          })}
        </ul>
      ) : undefined}
    </search>
  )
}

interface FoundToolsProps {
  readonly asked: Asked
  readonly found: Found
  readonly from: number
  readonly total: number | undefined
}

function FoundTools({ asked, found: { items, next_cursor }, from, total }: FoundToolsProps) {
  if (items.length === 0) {
    return (
      <Notice>
        <p>No tool that you may see is like that.</p>
        <p>
          <a href="/">All tools</a>
        </p>
      </Notice>
    )
  }
  return (
    <>
      <p class="note">{rangeOf(from, from + items.length - 1, total)}</p>
      <ul class="cards" aria-label="Tools">
        {items.map((tool) => (
          <Card tool={tool} />
        ))}
      </ul>
      <p>
        {asked['cursor'] ? <a href={hrefOf(asked, {})}>First page</a> : undefined}{' '}
        {next_cursor === undefined ? undefined : (
          <a
            class="button"
            rel="next"
            href={hrefOf(asked, { cursor: next_cursor, [FROM]: String(from + items.length) })}
          >
            More tools
          </a>
        )}
      </p>
    </>
  )
}

/** `1–30 of 8,118 tools`; of a total that is less than what is seen, which was counted before, nothing is said. */
function rangeOf(first: number, last: number, total: number | undefined): string {
  const number = (each: number) => each.toLocaleString('en')
  const range = first === last ? number(first) : `${number(first)}–${number(last)}`
  return total === undefined || total < last
    ? `Tools ${range}`
    : `${range} of ${number(total)} ${total === 1 ? 'tool' : 'tools'}`
}

function Card({ tool: { id, description, requirements = {} } }: { tool: Listed }) {
  const [name = id, version = ''] = id.split('@')
  const { authorization = [], secrets = [], user_id = false } = requirements
  const needs = [
    ...authorization.map((each) => `access to ${each.id}`),
    ...secrets.map((each) => `the secret ${each.id}`),
    ...(user_id ? ['a user'] : []),
  ]
  const short = description.length <= MAX_DESCRIPTION ? description : `${description.slice(0, MAX_DESCRIPTION)}…`
  return (
    <li>
      <a href={`/console/tools/${encodeURIComponent(name)}`}>{name}</a> <span class="note">{version}</span>
      <p>{short}</p>
      {needs.length === 0 ? undefined : <p class="note">Needs {needs.join(', ')}</p>}
    </li>
  )
}
