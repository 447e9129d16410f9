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

/** The tools that somebody may see: by words, by toolkit and by tag, a page at a time. */
export async function show(visit: Visit): Promise<View | Leads> {
  const { searchParams } = visit.url
  const asked = Object.fromEntries(FILTERS.map((name) => [name, searchParams.get(name)?.trim() ?? '']))
  const [list, toolkits] = await Promise.all([
    visit.ask<{ items: readonly Listed[]; next_cursor?: string }>('GET', `/tools?${queryOf(asked, LIMIT)}`),
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
        {list.ok ? <Found asked={asked} {...list.value} /> : <Refused failure={failureOf(list)} />}
      </>
    ),
  }
}

type Asked = Readonly<Record<string, string>>

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

function Found({ asked, items, next_cursor }: { asked: Asked; items: readonly Listed[]; next_cursor?: string }) {
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
      <ul class="cards" aria-label="Tools">
        {items.map((tool) => (
          <Card tool={tool} />
        ))}
      </ul>
      <p>
        {asked['cursor'] ? <a href={hrefOf(asked, {})}>First page</a> : undefined}{' '}
        {next_cursor === undefined ? undefined : (
          <a class="button" rel="next" href={hrefOf(asked, { cursor: next_cursor })}>
            More tools
          </a>
        )}
      </p>
    </>
  )
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
