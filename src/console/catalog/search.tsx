import type { ApiAnswers } from '../../api/answers.ts'
import type { PageContext, Reply } from '../page-context.ts'
import { Select, TextField } from '../parts.tsx'
import { readFilters, buildQuery } from '../query.ts'

export type ToolSearch = ReturnType<typeof readSearch>
type ToolkitsReply = Reply<ApiAnswers['GET /toolkits']>

export function readSearch(context: PageContext) {
  const filters = readFilters(context, ['q', 'toolkit', 'tag', 'versions', 'view', 'results', 'cursor'])
  const { q = '', toolkit = '', tag = '', versions = '', view = '', results = '', cursor = '' } = filters
  return { q, toolkit, tag, versions, view, results, cursor }
}

/** Checks whether to show only the best matches, and an operation of several toolkits only once. */
export function mayCut({ q, versions, results }: ToolSearch): boolean {
  return q !== '' && versions !== 'all' && results !== 'all'
}

export function buildHref(search: ToolSearch, change: Readonly<Record<string, string>>): string {
  const query = buildQuery({ ...search, cursor: '', ...change }).toString()
  return query === '' ? '/' : `/?${query}`
}

/** With more toolkits, the choice is a text field, because options would fill most of the page. */
const MAX_TOOLKIT_OPTIONS = 200

export function Search({ search, toolkits: toolkitsReply }: { search: ToolSearch; toolkits: ToolkitsReply }) {
  const { q, toolkit, tag, versions } = search
  const toolkits = toolkitsReply.ok ? toolkitsReply.value.items : []
  const options = toolkits.map((item) => ({ value: item.toolkit, text: `${item.toolkit} (${item.tools})` }))
  return (
    <search>
      <form class="row" method="get" action="/">
        <label class="wide">
          Search tools
          <input type="search" name="q" value={q} maxlength={1000} placeholder="send an email" />
        </label>
        {toolkits.length > MAX_TOOLKIT_OPTIONS ? (
          <TextField label="Toolkit" name="toolkit" value={toolkit} maxlength={100} />
        ) : (
          <Select label="Toolkit" name="toolkit" options={[{ value: '', text: 'All' }, ...options]} value={toolkit} />
        )}
        <TextField label="Tag" name="tag" value={tag} maxlength={100} />
        <label class="choice">
          <input type="checkbox" name="versions" value="all" checked={versions === 'all'} />
          <span>All versions</span>
        </label>
        <button class="go">Search</button>
      </form>
      {toolkitsReply.ok ? undefined : (
        <p class="note">
          The toolkits cannot be listed right now: {toolkitsReply.failure.message}. Their tools are below.
        </p>
      )}
    </search>
  )
}
