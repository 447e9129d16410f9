import type { ApiAnswers } from '../../api/answers.ts'
import type { PageResult, PageVisit, RouteFailure, View } from '../visit.ts'
import { shownAgain } from '../form/values.ts'
import { exact, FailureNotice, Notice, SendingNote } from '../parts.tsx'
import { ImportForm, KeptSource, requestOf, withSource } from './form.tsx'

type ImportReport = Exclude<ApiAnswers['POST /toolkits/import'], { readonly tools: unknown }>

const MAX_SHOWN = 500

export async function show(visit: PageVisit): Promise<PageResult> {
  return { title: 'Import', content: <ImportForm form={visit.form} /> }
}

export async function act(visit: PageVisit): Promise<PageResult> {
  const form = withSource(visit.form)
  const isReal = form.get('do') === 'import'
  const request = requestOf(form, isReal, visit.meter)
  if (!request.ok) return failed(form, { status: 400, message: 'Nothing was sent', problems: request.problems })
  const { query, body } = request.value
  const reply = await visit.ask('POST /toolkits/import', { query, body })
  if (!reply.ok) return failed(form, reply.failure)
  if (!('tools' in reply.value)) return { title: 'Imported', content: <Done {...reply.value} /> }
  const { tools, skipped } = reply.value
  return {
    title: 'What the import would make',
    content: (
      <>
        <Notice>
          <p>
            <strong>Nothing has been made yet.</strong> {String(tools.length)} tools would be
            {skipped.length === 0 ? '' : `, and ${skipped.length} cannot be`}.
          </p>
        </Notice>
        <ul aria-label="Tools">
          {tools.slice(0, MAX_SHOWN).map(({ id, state, requirements, security_level, approval }) => (
            <li>
              <code>{id}</code> <span class="note">{state}</span>
              {requirements === undefined ? undefined : <p class="note">Needs {JSON.stringify(requirements)}</p>}
              {security_level === undefined ? undefined : <p class="note">Security level {String(security_level)}</p>}
              {approval ? <p class="note">A person approves each call</p> : undefined}
            </li>
          ))}
        </ul>
        <Skipped skipped={skipped} />
        {tools.length === 0 ? undefined : <Confirm form={form} />}
        <h2>Or change what is asked for</h2>
        <ImportForm form={form} />
      </>
    ),
  }
}

function failed(form: URLSearchParams, failure: RouteFailure): View {
  return {
    title: 'Import',
    status: failure.status,
    content: (
      <>
        <FailureNotice failure={failure} />
        <ImportForm form={form} failure={failure} />
      </>
    ),
  }
}

function Confirm({ form }: { form: URLSearchParams }) {
  return (
    <form method="post">
      {[...shownAgain(form)].map(([name, text]) =>
        name === 'do' ? undefined : <input type="hidden" name={name} value={exact(text)} />,
      )}
      <KeptSource form={form} />
      <button class="go" name="do" value="import">
        Import them
      </button>
      <SendingNote>Importing…</SendingNote>
    </form>
  )
}

function Skipped({ skipped }: Pick<ImportReport, 'skipped'>) {
  if (skipped.length === 0) return undefined
  return (
    <details>
      <summary>Cannot be made ({String(skipped.length)})</summary>
      <ul>
        {skipped.slice(0, MAX_SHOWN).map(({ name, reason }) => (
          <li>
            <code>{name}</code> {reason}
          </li>
        ))}
      </ul>
    </details>
  )
}

function Done({ ids, pending = [], skipped }: ImportReport) {
  return (
    <>
      <Notice>
        <p>
          <strong>{ids.length === 1 ? '1 tool is' : `${ids.length} tools are`} there now.</strong>
        </p>
        {pending.length === 0 ? undefined : (
          <p>
            {pending.length === ids.length
              ? 'They wait'
              : `${pending.length} of them ${pending.length === 1 ? 'waits' : 'wait'}`}{' '}
            for <a href="/console/versions">review</a>: nobody can call what was not reviewed.
          </p>
        )}
      </Notice>
      <ul aria-label="Tools">
        {ids.slice(0, MAX_SHOWN).map((id) => (
          <li>
            <a href={`/console/tools/${encodeURIComponent(id)}`}>{id}</a>
          </li>
        ))}
      </ul>
      <Skipped skipped={skipped} />
    </>
  )
}
