import type { Child } from 'hono/jsx'
import type { JsonObject } from '../../core/tool/json.ts'
import type { Problem } from '../../core/tool/problem.ts'
import type { PageContext, Reply, RouteFailure } from '../page-context.ts'
import { toReplyView, exact, FailureNotice, formatCode, Notice, SendingNote } from '../parts.tsx'
import { FieldRows, FoldedRows, OmittedNote } from './field-rows.tsx'
import { ProblemPlace } from './problems.tsx'
import { type Field, listFields, ROOT_FIELD } from './fields.ts'
import { toForm, toFormValues } from './values.ts'

/** Lists the form fields for the body of a route, after one for the id in its path. */
export function listEditFields(body: JsonObject, id?: Pick<Field, 'key' | 'description'>): readonly Field[] {
  const fields = listFields(body, formatCode).filter(({ key }) => key !== id?.key)
  if (!id) return fields
  const [name, label] = [`${ROOT_FIELD}/${id.key}`, formatCode(id.key)]
  return [{ ...id, name, label, isRequired: true, kind: { type: 'text', isLong: false } }, ...fields]
}

export function trimForm(form: URLSearchParams, except?: string): URLSearchParams {
  return new URLSearchParams([...form].map(([name, text]) => [name, name === except ? text : text.trim()]))
}

export interface SubmittedForm {
  readonly form?: URLSearchParams
  readonly failure?: RouteFailure
}

/** A stale form (412 for its `If-Match`) would restore removed values, so it is filled with the current ones. */
export function toRefusedForm({ failure }: Extract<Reply<never>, { ok: false }>, form: URLSearchParams): SubmittedForm {
  if (failure.status !== 412) return { failure, form }
  const message = 'This was changed by somebody else in the meantime, so your change was not saved'
  return { failure: { ...failure, message, detail: 'The form now shows the current values: make your change again' } }
}

/** Returns the revision that a form changes, or undefined if the form is saved under a different id than its original. */
export function readEtag(form: URLSearchParams, id: string, filledId: string | null): string | undefined {
  return id === filledId ? (form.get('etag') ?? undefined) : undefined
}

interface EditFormProps {
  readonly fields: readonly Field[]
  readonly submitted?: SubmittedForm | undefined
  readonly value?: unknown
  /** The revision that it changes. It stays the same when the form is shown again for corrections. */
  readonly etag?: string | undefined
  /** Rarely used fields: folded while they are empty. */
  readonly folded?: { readonly summary: string; readonly keys: readonly string[] }
  readonly action: string
  readonly verb: string
  readonly button: string
  readonly progress?: string
  readonly takesFile?: boolean
  readonly children?: Child
}

export function EditForm({ fields, submitted, value, etag, folded, action, verb, button, ...slots }: EditFormProps) {
  const { progress, takesFile, children } = slots
  const form = submitted?.form ? toFormValues(submitted.form) : toForm(fields, value)
  const problems: readonly Problem[] = (submitted?.form && submitted.failure?.problems) ?? []
  const revision = (submitted?.form && form.get('etag')) ?? etag
  const isFolded = ({ key }: Field) => folded?.keys.includes(key) ?? false
  const foldedFields = fields.filter(isFolded)
  const rows = { form, problems }
  return (
    <form method="post" action={action} enctype={takesFile ? 'multipart/form-data' : undefined}>
      <input type="hidden" name="do" value={verb} />
      {revision === undefined ? undefined : <input type="hidden" name="etag" value={exact(revision)} />}
      {children}
      <FieldRows fields={fields.filter((field) => !isFolded(field))} {...rows} />
      <FoldedRows summary={folded?.summary} fields={foldedFields} {...rows} />
      <OmittedNote submitted={submitted?.form} form={form} />
      <button class="go">{button}</button>
      {progress && <SendingNote>{progress}</SendingNote>}
    </form>
  )
}

/** An item in the list may have fewer fields than the same item loaded alone. */
interface EditPage<T, ListItem> {
  readonly title: string
  /** The notice after a change, by `done` in the URL. */
  readonly doneMessages: ReadonlyMap<string, string>
  readonly submitted: SubmittedForm | undefined
  readonly items: Promise<Reply<{ readonly items: readonly ListItem[] }>>
  /** The item that the URL names, which the form changes. */
  readonly item: Promise<Reply<T>> | undefined
  readonly renderList: (items: readonly ListItem[]) => Child
  readonly introduction?: Child
  /** The address of the form, if the list has a button instead of the form. */
  readonly newItem?: { readonly href: string; readonly label: string }
  readonly buildForm: (
    item: T | undefined,
  ) => EditFormProps & { id: string; heading: string; intro?: Child; outro?: Child }
}

/** Renders a list of items, and below it the form that creates or changes one. */
export async function renderEditPage<T, ListItem = T>(
  { url }: PageContext,
  { title, doneMessages, submitted, items, item, renderList, introduction, newItem, buildForm }: EditPage<T, ListItem>,
) {
  const [listReply, itemReply] = await Promise.all([items, item])
  const { value, etag } = itemReply?.ok ? itemReply : {}
  const { id, heading, intro, outro, ...fields } = buildForm(value)
  const message = doneMessages.get(url.searchParams.get('done') ?? '')
  const failure = submitted?.failure
  const isFormPage = newItem && (value !== undefined || submitted?.form || url.searchParams.has('new'))
  return {
    title,
    status: failure?.status ?? 200,
    content: (
      <>
        {message && !failure && <Notice>{message}</Notice>}
        {failure && (
          <FailureNotice failure={failure} renderPath={(path) => <ProblemPlace fields={fields.fields} path={path} />} />
        )}
        {introduction}
        {newItem && !isFormPage && (
          <p>
            <a class="button go" href={newItem.href}>
              {newItem.label}
            </a>
          </p>
        )}
        {isFormPage ? undefined : toReplyView(listReply, (value) => renderList(value.items))}
        {newItem && !isFormPage ? undefined : (
          <section aria-labelledby={id}>
            <h2 id={id}>{heading}</h2>
            {intro}
            <EditForm value={value} etag={etag} {...fields} submitted={submitted} />
            {outro}
          </section>
        )}
      </>
    ),
  }
}
