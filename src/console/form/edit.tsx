import type { Child } from 'hono/jsx'
import type { JsonObject } from '../../core/tool/json.ts'
import type { Problem } from '../../core/tool/problem.ts'
import type { PageContext, Reply, RouteFailure } from '../visit.ts'
import { toReplyView, exact, FailureNotice, formatTimeAgo, Notice, SendingNote } from '../parts.tsx'
import { FieldRows, FoldedRows, LeftOut } from './field-rows.tsx'
import { type Field, listFields, ROOT_FIELD } from './fields.ts'
import { toForm, toFormValues } from './values.ts'

/** The fields of a form for the body of a route, behind one for the id in its path. */
export function editFields(body: JsonObject, id?: Pick<Field, 'key' | 'description'>): readonly Field[] {
  const fields = listFields(body).filter(({ key }) => key !== id?.key)
  if (!id) return fields
  return [
    { ...id, name: `${ROOT_FIELD}/${id.key}`, isRequired: true, kind: { type: 'text', isLong: false } },
    ...fields,
  ]
}

export function trimmed(form: URLSearchParams, except?: string): URLSearchParams {
  return new URLSearchParams([...form].map(([name, text]) => [name, name === except ? text : text.trim()]))
}

export interface SentForm {
  readonly form?: URLSearchParams
  readonly failure?: RouteFailure
}

/** A stale form (412, by its `If-Match`) would give back what somebody took away, so it is filled anew. */
export function refusedForm({ failure }: Extract<Reply<never>, { ok: false }>, form: URLSearchParams): SentForm {
  if (failure.status !== 412) return { failure, form }
  const message = 'This was changed by somebody else in the meantime, so your change was not saved'
  return { failure: { ...failure, message, detail: 'The form now shows the current values: make your change again' } }
}

/** The revision that a form changes, where it is of the thing that the form is filled with, and not saved as another. */
export function readEtag(form: URLSearchParams, id: string, filledId: string | null): string | undefined {
  return id === filledId ? (form.get('etag') ?? undefined) : undefined
}

interface EditFormProps {
  readonly fields: readonly Field[]
  readonly sent?: SentForm | undefined
  readonly value?: unknown
  /** The revision that it changes: a form that comes back to be corrected keeps its first. */
  readonly etag?: string | undefined
  /** Fields that most do without: they are folded away while they are empty. */
  readonly folded?: { readonly summary: string; readonly keys: readonly string[] }
  readonly action: string
  readonly act: string
  readonly button: string
  readonly progress?: string
  readonly children?: Child
}

export function EditForm({ fields, sent, value, etag, folded, action, act, button, ...rest }: EditFormProps) {
  const { progress, children } = rest
  const form = sent?.form ? toFormValues(sent.form) : toForm(fields, value)
  const problems: readonly Problem[] = (sent?.form && sent.failure?.problems) ?? []
  const revision = (sent?.form && form.get('etag')) ?? etag
  const isFolded = ({ key }: Field) => folded?.keys.includes(key) ?? false
  const hidden = fields.filter(isFolded)
  const rows = { form, problems, formatLabel: formatTimeAgo }
  return (
    <form method="post" action={action}>
      <input type="hidden" name="do" value={act} />
      {revision === undefined ? undefined : <input type="hidden" name="etag" value={exact(revision)} />}
      {children}
      <FieldRows fields={fields.filter((field) => !isFolded(field))} {...rows} />
      <FoldedRows summary={folded?.summary} fields={hidden} {...rows} />
      <LeftOut sent={sent?.form} shown={form} />
      <button class="go">{button}</button>
      {progress && <SendingNote>{progress}</SendingNote>}
    </form>
  )
}

interface EditPage<T> {
  readonly title: string
  /** The notice after a change, by `done` in its address. */
  readonly done: ReadonlyMap<string, string>
  readonly sent: SentForm | undefined
  readonly all: Promise<Reply<{ readonly items: readonly T[] }>>
  /** The one that its address names, which the form changes. */
  readonly one: Promise<Reply<T>> | undefined
  readonly list: (items: readonly T[]) => Child
  readonly above?: Child
  readonly form: (one: T | undefined) => EditFormProps & { id: string; heading: string; intro?: Child }
}

/** Things of a kind, and below them the form that makes one or changes one. */
export async function editView<T>(
  { url }: PageContext,
  { title, done, sent, all, one, list, above, form }: EditPage<T>,
) {
  const [items, chosen] = await Promise.all([all, one])
  const { value, etag } = chosen?.ok ? chosen : {}
  const { id, heading, intro, ...fields } = form(value)
  const message = done.get(url.searchParams.get('done') ?? '')
  const failure = sent?.failure
  return {
    title,
    status: failure?.status ?? 200,
    content: (
      <>
        {message && !failure && <Notice>{message}</Notice>}
        {failure && <FailureNotice failure={failure} />}
        {above}
        {toReplyView(items, (value) => list(value.items))}
        <section aria-labelledby={id}>
          <h2 id={id}>{heading}</h2>
          {intro}
          <EditForm value={value} etag={etag} {...fields} sent={sent} />
        </section>
      </>
    ),
  }
}
