import type { ApiAnswers } from '../../api/answers.ts'
import { Changes } from '../changes.tsx'
import type { PageContext, PageResult, RouteFailure, View } from '../page-context.ts'
import { exact, FailureNotice, formatCode, NextLink, Notice, Select, TextField, Time, toReplyView } from '../parts.tsx'
import { buildQuery, readFilters } from '../query.ts'

type ListedFinding = ApiAnswers['GET /findings']['items'][number]

const PATH = '/console/findings'
/** Findings per page, each with all its texts. */
const PAGE_SIZE = '5'
const MAX_CHANGES = 2
const KIND_TEXTS: Readonly<Record<ListedFinding['kind'], string>> = {
  changed: 'The source differs from what is active here.',
  new: 'The tool is new in the source.',
  gone: 'The tool is no longer in the source. Here it stays as it is.',
  credential: 'The source cannot be read without a credential.',
  unreachable: 'The source has not answered for a day.',
}
const SEVERITY_OPTIONS = [
  { value: '', text: 'All' },
  { value: 'breaking', text: 'Breaking' },
  { value: 'additive', text: 'Additive' },
]

/** Compares a toolkit with its source. */
export async function submit(context: PageContext): Promise<PageResult> {
  const toolkit = context.form.get('toolkit') ?? ''
  const compared = await context.fetchRoute('POST /toolkits/:toolkit/compare', { toolkit })
  if (!compared.ok) return show(context, compared.failure)
  return { redirectTo: `${PATH}?${buildQuery({ toolkit, done: '1' })}` }
}

export async function show(context: PageContext, failure?: RouteFailure): Promise<View> {
  const { toolkit, severity, cursor } = readFilters(context, ['toolkit', 'severity', 'cursor'])
  const query = buildQuery({ toolkit, severity, cursor, limit: PAGE_SIZE })
  const list = await context.fetchRoute('GET /findings', { query })
  return {
    title: 'Findings',
    status: failure?.status ?? 200,
    content: (
      <>
        {failure && <FailureNotice failure={failure} />}
        {context.url.searchParams.has('done') && !failure && <Notice>The toolkit was compared with its source.</Notice>}
        <p class="note">
          How imported tools differ from their sources. <a href="/docs/import#findings">How findings work</a>
        </p>
        <form class="row" method="get">
          <TextField label="Toolkit" name="toolkit" value={toolkit} maxlength={64} />
          <Select label="Severity" name="severity" options={SEVERITY_OPTIONS} value={severity} />
          <button class="go">Show</button>
        </form>
        {toolkit ? (
          <form method="post">
            <input type="hidden" name="toolkit" value={exact(toolkit)} />
            <button>Compare now</button>
          </form>
        ) : undefined}
        {toReplyView(list, ({ items, next_cursor: next }) => (
          <>
            {items.length === 0 ? <Notice>No findings.</Notice> : undefined}
            <ul class="cards whole" aria-label="Findings">
              {items.map((finding) => (
                <Finding {...finding} />
              ))}
            </ul>
            {next && (
              <NextLink href={`${PATH}?${buildQuery({ toolkit, severity, cursor: next })}`} label="More findings" />
            )}
          </>
        ))}
      </>
    ),
  }
}

function Finding({ toolkit, tool, kind, severity, changes, since }: ListedFinding) {
  const id = tool === undefined ? toolkit : `${toolkit}.${tool}`
  const hasPage = tool !== undefined && kind !== 'new'
  const importHref = `/console/import?${buildQuery({ toolkit })}`
  return (
    <li>
      <h2>{hasPage ? <a href={`/console/tools/${encodeURIComponent(id)}`}>{id}</a> : id}</h2>
      <p>
        <strong>{formatCode(severity)}.</strong> {KIND_TEXTS[kind]} Found first at <Time at={since} />.
      </p>
      {kind === 'changed' && <Changes changes={changes.slice(0, MAX_CHANGES)} />}
      {changes.length > MAX_CHANGES && <p class="note">There are more changes.</p>}
      <p>
        <a href={importHref} aria-label={`Import again: ${id}`}>
          Import again
        </a>
      </p>
    </li>
  )
}
