import type { Json } from '../../core/tool/json.ts'
import type { Leads, View, Visit } from '../page.ts'
import { exact, Notice, Refused } from '../parts.tsx'
import { failureOf, type SaidFailure } from '../reply.ts'
import { ImportForm, requestOf } from './form.tsx'

/** What `POST /toolkits/import` answers: with `?dry_run=1` the tools it would make, else those that it made. */
interface Imported {
  readonly tools?: readonly {
    readonly id: string
    readonly state: string
    readonly requirements?: Json
    readonly security_level?: number
    readonly approval?: boolean
  }[]
  readonly ids?: readonly string[]
  /** Those of them that wait for somebody who reviews them. */
  readonly pending?: readonly string[]
  readonly skipped?: readonly { readonly name: string; readonly reason: string }[]
}

const MAX_SHOWN = 500

/** Makes a toolkit of a description or of another server: first of all it shows what would come of it. */
export async function show(visit: Visit): Promise<View | Leads> {
  return { title: 'Import', content: <ImportForm form={visit.form} /> }
}

/** Shows what an import would make or, once that was seen, makes it. */
export async function act(visit: Visit): Promise<View | Leads> {
  const { form } = visit
  const isReal = form.get('do') === 'import'
  const request = requestOf(form, isReal)
  if (!request.ok) return failed(form, { status: 400, message: 'Nothing was sent', problems: request.problems })
  const { query, body } = request.value
  const reply = await visit.ask<Imported>('POST', `/toolkits/import${query === '' ? '' : `?${query}`}`, body)
  if (!reply.ok) return failed(form, failureOf(reply))
  const { tools = [], ids = [], pending = [], skipped = [] } = reply.value
  if (isReal) return { title: 'Imported', content: <Done ids={ids} pending={pending} skipped={skipped} /> }
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

function failed(form: URLSearchParams, failure: SaidFailure): View {
  return {
    title: 'Import',
    status: failure.status,
    content: (
      <>
        <Refused failure={failure} />
        <ImportForm form={form} failure={failure} />
      </>
    ),
  }
}

function Confirm({ form }: { form: URLSearchParams }) {
  return (
    <form method="post">
      {[...form].map(([name, text]) =>
        name === 'do' ? undefined : <input type="hidden" name={name} value={exact(text)} />,
      )}
      <button class="go" name="do" value="import">
        Import them
      </button>
      <p role="status" data-progress hidden>
        Importing…
      </p>
    </form>
  )
}

function Skipped({ skipped }: { skipped: NonNullable<Imported['skipped']> }) {
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

function Done({ ids, pending, skipped }: Required<Pick<Imported, 'ids' | 'pending' | 'skipped'>>) {
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
