import type { Reply, Visit } from '../page.ts'
import { failureOf } from '../reply.ts'

/** What somebody looks for, each as it stands in the address of the page; empty where it does not. */
export type ToolSearch = Readonly<Record<'q' | 'toolkit' | 'tag' | 'versions' | 'cursor', string>>

/** As `GET /toolkits` lists one. */
export interface ListedToolkit {
  readonly toolkit: string
  readonly tools: number
}

export function searchOf({ url: { searchParams } }: Visit): ToolSearch {
  const said = (name: string) => searchParams.get(name)?.trim() ?? ''
  const [versions, cursor] = [said('versions'), said('cursor')]
  return { q: said('q'), toolkit: said('toolkit'), tag: said('tag'), versions, cursor }
}

export function queryOf(search: Readonly<Record<string, string>>): URLSearchParams {
  return new URLSearchParams(Object.entries(search).filter(([, value]) => value !== ''))
}

/** The first page of what is looked for, with a change. */
export function hrefOf(search: ToolSearch, change: Readonly<Record<string, string>>): string {
  const query = queryOf({ ...search, cursor: '', ...change }).toString()
  return query === '' ? '/' : `/?${query}`
}

interface SearchProps {
  readonly search: ToolSearch
  readonly toolkits: Reply<{ readonly items: readonly ListedToolkit[] }>
}

/** Of so many toolkits each has a link; more are chosen in a field. */
const MAX_LINKS = 40

/** What is looked for: by words, by toolkit and by tag, among what is called by name or among all versions. */
export function Search({ search, toolkits: listed }: SearchProps) {
  const { q, toolkit, tag, versions } = search
  const toolkits = listed.ok ? listed.value.items : []
  const isNamed = (each: ListedToolkit) => each.toolkit.toLowerCase() === toolkit.toLowerCase()
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
        <label>
          Tag
          <input name="tag" value={tag} maxlength={100} />
        </label>
        <label class="choice">
          <input type="checkbox" name="versions" value="all" checked={versions === 'all'} />
          <span>All versions</span>
        </label>
        <button class="go">Search</button>
      </form>
      {listed.ok ? undefined : (
        <p class="note">The toolkits cannot be listed right now: {failureOf(listed).message}. Their tools are below.</p>
      )}
      {toolkits.length > 1 && toolkits.length <= MAX_LINKS ? (
        <ul class="chips" aria-label="Toolkits">
          {toolkits.map((each) => (
            <li>
              <a
                class="chip"
                href={hrefOf(search, { toolkit: isNamed(each) ? '' : each.toolkit })}
                {...(isNamed(each) ? { 'aria-current': 'true' } : {})}
              >
                {each.toolkit}
              </a>
            </li>
          ))}
        </ul>
      ) : undefined}
    </search>
  )
}
