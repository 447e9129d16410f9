import type { ApiAnswers } from '../../api/answers.ts'
import { Copyable } from '../../http/page/rows.tsx'
import { formatCount } from '../calls/chart.tsx'
import type { RouteFailure } from '../page-context.ts'
import { FailureNotice, FoldedList, Notice } from '../parts.tsx'
import { buildQuery } from '../query.ts'

export type ImportReport = Exclude<ApiAnswers['POST /toolkits/import'], { readonly tools: unknown }>
type ImportWarnings = NonNullable<ImportReport['warnings']>

const MAX_LINKS = 30

interface ImportedToolsProps {
  readonly toolkit: string
  readonly reports: readonly ImportReport[]
  /** The failure that ended the import, after the reports. */
  readonly failure?: RouteFailure | undefined
}

export function ImportedTools({ toolkit, reports, failure }: ImportedToolsProps) {
  const ids = reports.flatMap((report) => report.ids)
  const pending = reports.flatMap((report) => report.pending ?? [])
  const warnings = reports.flatMap((report) => report.warnings ?? [])
  const callableId = ids.find((id) => !pending.includes(id))
  const secrets = new Set(
    reports.flatMap(({ missing_requirements: missing }) => missing?.secrets.map(({ id }) => id) ?? []),
  )
  return (
    <>
      {failure && <FailureNotice failure={failure} />}
      <Notice>
        <p>
          <strong>{formatCount(ids.length, 'tool')} imported.</strong>
          {failure && ' Repeat the import for the others: these stay as they are.'}
        </p>
        {pending.length === 0 ? undefined : (
          <p>
            {`${pending.length.toLocaleString('en')} of them ${pending.length === 1 ? 'waits' : 'wait'}`} for{' '}
            <a href={`/console/versions?${buildQuery({ toolkit })}`}>review</a>, and cannot be called before.
          </p>
        )}
      </Notice>
      <p class="row">
        {secrets.size === 0 ? undefined : (
          <a class="button" href="#secrets">
            Set its secret
          </a>
        )}
        <a class="button" href={`/?${buildQuery({ toolkit })}`}>
          Open toolkit
        </a>
        {callableId === undefined ? undefined : (
          <a class="button" href={`/console/tools/${encodeURIComponent(callableId)}`}>
            Try a tool
          </a>
        )}
      </p>
      {secrets.size === 0 ? undefined : <MissingSecrets secrets={[...secrets]} warnings={warnings} />}
      <ul aria-label="Tools">
        {ids.slice(0, MAX_LINKS).map((id) => (
          <li>
            <a href={`/console/tools/${encodeURIComponent(id)}`}>{id}</a>
          </li>
        ))}
        {ids.length > MAX_LINKS && <li>And {(ids.length - MAX_LINKS).toLocaleString('en')} more</li>}
      </ul>
      <Skipped skipped={reports.flatMap((report) => report.skipped)} />
      <Warnings warnings={warnings} />
    </>
  )
}

/** The warnings about secrets, and the commands in them to copy. */
function MissingSecrets({ secrets, warnings }: { secrets: readonly string[]; warnings: ImportWarnings }) {
  return (
    <section aria-labelledby="secrets">
      <h2 id="secrets">Set its secret</h2>
      {secrets.map((secret) => {
        const messages = new Set(warnings.flatMap(({ message }) => (message.includes(`'${secret}'`) ? [message] : [])))
        return [...messages].map((message) => (
          <>
            <p>{message}.</p>
            {[...message.matchAll(/'((?:npx|switchboard) [^']+)'/g)].map(([, command = '']) => (
              <Copyable text={command} />
            ))}
          </>
        ))
      })}
    </section>
  )
}

/** Warnings by kind: they are of one kind if they begin alike, up to the first name in quotes. */
export function Warnings({ warnings }: { warnings: ImportWarnings }) {
  if (warnings.length === 0) return undefined
  const kinds = Map.groupBy(warnings, ({ message }) => message.split(/ ['"‘“]/)[0])
  return (
    <section aria-labelledby="warnings">
      <h2 id="warnings">Warnings</h2>
      {[...kinds].map(([start = '', members]) => (
        <FoldedList
          title={members.some(({ message }) => message !== start) ? `${start} …` : start}
          items={members.map(({ message, tools, ids }) => (
            <>
              <strong>{ids.join(', ')}</strong>
              {tools > ids.length ? ` and ${(tools - ids.length).toLocaleString('en')} more` : ''}: {message}
            </>
          ))}
        />
      ))}
    </section>
  )
}

export function Skipped({ skipped }: Pick<ImportReport, 'skipped'>) {
  const items = skipped.map(({ name, reason }) => (
    <>
      <code>{name}</code> {reason}
    </>
  ))
  return <FoldedList title="Cannot be imported" items={items} />
}
