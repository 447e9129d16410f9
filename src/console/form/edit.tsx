import type { Child } from 'hono/jsx'
import type { JsonObject } from '../../core/tool/json.ts'
import type { Problem } from '../../core/tool/problem.ts'
import type { View } from '../page.ts'
import { exact, Notice, Refused } from '../parts.tsx'
import type { SaidFailure } from '../reply.ts'
import { FieldRows } from './field-rows.tsx'
import { type Field, fieldsOf, ROOT } from './fields.ts'
import { formOf } from './values.ts'

/** The fields of a form for the body of a route, behind one for the id in its path. */
export function editFields(body: JsonObject, id?: Pick<Field, 'key' | 'description'>): readonly Field[] {
  const fields = fieldsOf(body).filter(({ key }) => key !== id?.key)
  if (!id) return fields
  return [{ ...id, name: `${ROOT}/${id.key}`, isRequired: true, kind: { type: 'text', isLong: false } }, ...fields]
}

/** A form as it is meant: pasted texts have spaces around them. */
export function trimmed(form: URLSearchParams, except?: string): URLSearchParams {
  return new URLSearchParams([...form].map(([name, text]) => [name, name === except ? text : text.trim()]))
}

/** What a form was filled with that changes a thing: which one, and how it was then. */
interface Filled {
  readonly of: string
  readonly as: string
}

/** How a form is filled with a thing; one that comes back to be corrected keeps what it was filled with first. */
export function filledWith(fields: readonly Field[], of: string, thing: object, form?: URLSearchParams): Filled {
  return { of, as: form?.get('filled') ?? String(formOf(fields, thing)) }
}

/**
 * Why a form is refused: somebody changed the thing since it was filled, and what they took away would be given again. A form
 * that was filled with nothing, or with another thing, is not refused.
 */
export function staleness(
  form: URLSearchParams,
  fields: readonly Field[],
  of: string,
  thing: object | undefined,
): SaidFailure | undefined {
  if (form.get('filled_of') !== of || form.get('filled') === String(formOf(fields, thing))) return undefined
  return {
    status: 409,
    message: 'It was changed since this form was filled, so nothing was done',
    detail: 'The form is filled with what it is now: change that',
    problems: [],
  }
}

interface EditFormProps {
  readonly fields: readonly Field[]
  readonly form: URLSearchParams
  readonly problems?: readonly Problem[] | undefined
  /** Fields that most do without: they are folded away while they are empty. */
  readonly folded?: { readonly summary: string; readonly keys: readonly string[] }
  readonly filled?: Filled | undefined
  /** The path of its page. */
  readonly action: string
  /** What it does, as `do` has it, and the words on its button. */
  readonly act: string
  readonly button: string
  /** Shown once it is sent, where scripts run. */
  readonly progress?: string
  /** Stands before the fields. */
  readonly children?: Child
}

/** A form that makes a thing or changes one. */
export function EditForm({
  fields,
  form,
  problems = [],
  folded,
  filled,
  action,
  act,
  button,
  progress,
  children,
}: EditFormProps) {
  const isFolded = ({ key }: Field) => folded?.keys.includes(key) ?? false
  const rest = fields.filter(isFolded)
  const rows = { form, problems, labelOf: wordsOf }
  const isFilled = [...form].some(([name, text]) => text !== '' && rest.some((field) => name.includes(field.name)))
  const isWrong = problems.some(({ path }) => rest.some(({ key }) => path.startsWith(`/${key}`)))
  return (
    <form method="post" action={action}>
      <input type="hidden" name="do" value={act} />
      {filled && (
        <>
          <input type="hidden" name="filled_of" value={exact(filled.of)} />
          <input type="hidden" name="filled" value={exact(filled.as)} />
        </>
      )}
      {children}
      <FieldRows fields={fields.filter((field) => !isFolded(field))} {...rows} />
      {rest.length === 0 ? undefined : (
        <details open={isFilled || isWrong}>
          <summary>{folded?.summary}</summary>
          <div class="fields">
            <FieldRows fields={rest} {...rows} />
          </div>
        </details>
      )}
      <button class="go">{button}</button>
      {progress === undefined ? undefined : (
        <p role="status" data-progress hidden>
          {progress}
        </p>
      )}
    </form>
  )
}

/** `expires_at` as `Expires at`. */
function wordsOf(key: string): string {
  return key.charAt(0).toUpperCase() + key.slice(1).replaceAll('_', ' ')
}

interface EditView {
  readonly title: string
  /** How the form before ended, in words. */
  readonly done?: string | undefined
  readonly failure?: SaidFailure | undefined
  readonly list: Child
  /** Where links that change a thing lead to. */
  readonly id: string
  readonly heading: string
  readonly form: Child
}

/** A page that lists things, with a form to make one or to change one of them. */
export function editView({ title, done, failure, list, id, heading, form }: EditView): View {
  return {
    title,
    status: failure?.status ?? 200,
    content: (
      <>
        {done === undefined || failure ? undefined : (
          <Notice>
            <p>{done}</p>
          </Notice>
        )}
        {failure && <Refused failure={failure} />}
        {list}
        <section aria-labelledby={id}>
          <h2 id={id}>{heading}</h2>
          {form}
        </section>
      </>
    ),
  }
}
