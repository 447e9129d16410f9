import type { Reply } from '../page.ts'
import { failureOf } from '../reply.ts'
import { type Asked, hrefOf, type ListedToolkit } from './asked.ts'

interface SearchProps {
  readonly asked: Asked
  readonly toolkits: Reply<{ readonly items: readonly ListedToolkit[] }>
}

/** Of so many toolkits each has a link; more are chosen in a field. */
const MAX_LINKS = 40

/** What is looked for: by words, by toolkit and by tag, among what is called by name or among all versions. */
export function Search({ asked, toolkits: listed }: SearchProps) {
  const { q, toolkit, tag, versions } = asked
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
                href={hrefOf(asked, { toolkit: isNamed(each) ? '' : each.toolkit })}
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
