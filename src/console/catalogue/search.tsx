import type { ApiAnswers } from '../../api/answers.ts'
import type { PageVisit, Reply } from '../visit.ts'
import { Chips, TextField } from '../parts.tsx'
import { filtersOf, queryOf } from '../query.ts'

export type ToolSearch = ReturnType<typeof searchOf>

export function searchOf(visit: PageVisit) {
  const filters = filtersOf(visit, ['q', 'toolkit', 'tag', 'versions', 'cursor'])
  const { q = '', toolkit = '', tag = '', versions = '', cursor = '' } = filters
  return { q, toolkit, tag, versions, cursor }
}

export function hrefOf(search: ToolSearch, change: Readonly<Record<string, string>>): string {
  const query = queryOf({ ...search, cursor: '', ...change }).toString()
  return query === '' ? '/' : `/?${query}`
}

interface SearchProps {
  readonly search: ToolSearch
  readonly toolkits: Reply<ApiAnswers['GET /toolkits']>
}

/** More toolkits than these are chosen in a field alone. */
const MAX_LINKS = 40

export function Search({ search, toolkits: listed }: SearchProps) {
  const { q, toolkit, tag, versions } = search
  const toolkits = listed.ok ? listed.value.items : []
  const isNamed = (each: { toolkit: string }) => each.toolkit.toLowerCase() === toolkit.toLowerCase()
  const chips = toolkits.map((each) => {
    const href = hrefOf(search, { toolkit: isNamed(each) ? '' : each.toolkit })
    return { text: each.toolkit, href, isCurrent: isNamed(each) }
  })
  return (
    <search>
      <form class="row" method="get" action="/">
        <label>
          Search tools
          <input type="search" name="q" value={q} maxlength={1000} placeholder="send an email" />
        </label>
        <label>
          Toolkit
          <select name="toolkit">
            <option value="">All</option>
            {toolkit === '' || toolkits.some(isNamed) ? undefined : (
              <option value={toolkit} selected>
                {toolkit}
              </option>
            )}
            {toolkits.map((each) => (
              <option value={each.toolkit} selected={isNamed(each)}>
                {each.toolkit} ({String(each.tools)})
              </option>
            ))}
          </select>
        </label>
        <TextField label="Tag" name="tag" value={tag} maxlength={100} />
        <label class="choice">
          <input type="checkbox" name="versions" value="all" checked={versions === 'all'} />
          <span>All versions</span>
        </label>
        <button class="go">Search</button>
      </form>
      {listed.ok ? undefined : (
        <p class="note">The toolkits cannot be listed right now: {listed.failure.message}. Their tools are below.</p>
      )}
      {toolkits.length > 1 && toolkits.length <= MAX_LINKS ? <Chips label="Toolkits" chips={chips} /> : undefined}
    </search>
  )
}
