import type { ApiAnswers } from '../../api/answers.ts'
import { Copyable } from '../../http/page/rows.tsx'
import { formatCount } from '../calls/chart.tsx'
import type { RouteFailure } from '../page-context.ts'
import { FailureNotice, FoldedList, Notice } from '../parts.tsx'
import { buildQuery } from '../query.ts'
import { foldDashes } from '../../core/tool/tool-id.ts'
import type { SourceForm } from './form.tsx'
import { ImportProviders } from './providers.tsx'
import { GoneTools, Picker } from './picker.tsx'

export type ImportReport = Exclude<ApiAnswers['POST /toolkits/import'], { readonly tools: unknown }>
type ImportWarnings = NonNullable<ImportReport['warnings']>

/** If more tools have the same reason, they are folded. */
const MAX_OPEN_TOOLS = 30

interface ImportedToolsProps {
  readonly source: SourceForm
  readonly chosen: readonly string[]
  readonly chosenGone: readonly string[]
  readonly deprecated: number
  readonly reports: readonly ImportReport[]
  /** The failure that ended the import, after the reports. */
  readonly failure: RouteFailure | undefined
}

/** Shows the result, and the form again to retry the chosen tools that were not imported, by reason. */
export function ImportedTools({ source, chosen, chosenGone, deprecated, reports, failure }: ImportedToolsProps) {
  const toolkit = source.form.get('input/toolkit')?.trim() ?? ''
  const ids = reports.flatMap((report) => report.ids)
  const importedNames = new Set(ids.map((id) => /\.([^.@]+)@/.exec(id)?.[1]))
  const skipped = reports.flatMap((report) => report.skipped)
  const reasons = new Map(skipped.map(({ name, reason }) => [foldDashes(name), reason]))
  const failed = Map.groupBy(
    chosen.filter((name) => !importedNames.has(name)),
    (name) => reasons.get(foldDashes(name)) ?? failure?.message ?? 'The source no longer has it',
  )
  const groups = [...failed].map(([title, names]) => ({
    title,
    isOpen: names.length <= MAX_OPEN_TOOLS,
    choices: names.map((name) => ({ name })),
  }))
  const pending = reports.flatMap((report) => report.pending ?? [])
  const warnings = reports.flatMap((report) => report.warnings ?? [])
  const callableId = ids.find((id) => !pending.includes(id))
  const secrets = listMissingSecrets(reports)
  return (
    <>
      {failure && <FailureNotice failure={failure} />}
      <Notice>
        <p>
          <strong>{formatCount(ids.length, 'tool')} imported.</strong>
          {deprecated > 0 && ` ${formatCount(deprecated, 'tool')} deprecated.`}
        </p>
        {pending.length === 0 ? undefined : (
          <p>
            {`${pending.length.toLocaleString('en')} of them ${pending.length === 1 ? 'waits' : 'wait'}`} for{' '}
            <a href={`/console/versions?${buildQuery({ toolkit })}`}>review</a>, and cannot be called before.
          </p>
        )}
      </Notice>
      {failed.size + chosenGone.length === 0 ? undefined : (
        <>
          <h2>Not done yet</h2>
          <Picker source={source} groups={groups} button="Try these again">
            <GoneTools ids={chosenGone} isChosen />
          </Picker>
        </>
      )}
      <p class="row">
        {secrets.length === 0 ? undefined : (
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
      <ImportProviders reports={reports} />
      <MissingSecrets secrets={secrets} warnings={warnings} />
      <Warnings warnings={warnings} />
    </>
  )
}

export function listMissingSecrets(items: readonly Pick<ImportReport, 'missing_requirements'>[]): readonly string[] {
  return [...new Set(items.flatMap((item) => item.missing_requirements?.secrets.map(({ id }) => id) ?? []))]
}

/** Shows the warnings about secrets, with their commands to copy. */
function MissingSecrets({ secrets, warnings }: { secrets: readonly string[]; warnings: ImportWarnings }) {
  if (secrets.length === 0) return undefined
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

/** Shows warnings by kind. Warnings with the same text up to the first quoted name are of one kind. */
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
