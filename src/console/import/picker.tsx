import type { Child } from 'hono/jsx'
import { formatCount } from '../calls/chart.tsx'
import { toFormValues } from '../form/values.ts'
import { exact, SendingNote } from '../parts.tsx'
import { PackedSource, type SourceForm } from './form.tsx'

const TOOL_FIELD = 'tool:'
const GONE_FIELD = 'gone'

interface ChoiceGroup {
  readonly title: string
  readonly isOpen: boolean
  /** The filter finds choices by their class. */
  readonly choices: readonly { readonly name: string; readonly note?: string; readonly class?: string | undefined }[]
}

interface PickerProps {
  readonly source: SourceForm
  readonly groups: readonly ChoiceGroup[]
  readonly button: string
  readonly children?: Child
}

/** Lists the names of the tools that are checked and whose groups are checked too. */
export function listChosenTools(form: URLSearchParams): readonly string[] {
  const groups = form.getAll('tag')
  return [...form].flatMap(([name, tool]) =>
    name.startsWith(TOOL_FIELD) && groups.includes(name.slice(TOOL_FIELD.length)) ? [tool] : [],
  )
}

export const listChosenGone = (form: URLSearchParams): readonly string[] => form.getAll(GONE_FIELD)

/** Returns a form without its choices. */
export function withoutChoices(form: URLSearchParams): URLSearchParams {
  const isChoice = (name: string) => name === 'tag' || name === GONE_FIELD || name.startsWith(TOOL_FIELD)
  return new URLSearchParams([...form].filter(([name]) => !isChoice(name)))
}

/** Shows tools to import in short rows, because there may be thousands. Unchecking a group excludes its tools. */
export function Picker({ source, groups, button, children }: PickerProps) {
  return (
    <form method="post" enctype="multipart/form-data" class="picker">
      {[...toFormValues(source.form)].map(([name, text]) =>
        name === 'do' ? undefined : <input type="hidden" name={name} value={exact(text)} />,
      )}
      <PackedSource packed={source.packed} />
      {groups.map(({ title, isOpen, choices }, index) => (
        <fieldset>
          <label class="choice">
            <input type="checkbox" name="tag" value={String(index)} checked />
            <span>
              <strong>{title}</strong> <span class="note">{formatCount(choices.length, 'tool')}</span>
            </span>
          </label>
          <details open={isOpen}>
            <summary aria-label={`Tools of ${title}`}>Tools</summary>
            <ul class="plain">
              {choices.map(({ name, note, class: className }) => (
                <li class={className}>
                  <label>
                    <input type="checkbox" name={`${TOOL_FIELD}${index}`} value={exact(name)} checked />
                    {name}
                    {note && <small>{note}</small>}
                  </label>
                </li>
              ))}
            </ul>
          </details>
        </fieldset>
      ))}
      {children}
      <div class="sticky-actions">
        <button class="go" name="do" value="import">
          {button}
        </button>
        <button class="quiet" name="do" value="edit">
          Change the import
        </button>
        <SendingNote>Importing…</SendingNote>
      </div>
    </form>
  )
}

/** Shows tools to deprecate. None is chosen at first, because another source may still have it. */
export function GoneTools({ ids, isChosen = false }: { ids: readonly string[]; isChosen?: boolean }) {
  if (ids.length === 0) return undefined
  return (
    <section>
      <h2>No longer in the source</h2>
      <p class="note">
        An import leaves these tools as they are, though their calls may fail. A tool that you choose here is
        deprecated: it is not listed any more, and can still be called.
      </p>
      <ul class="plain">
        {ids.map((id) => (
          <li>
            <label>
              <input type="checkbox" name={GONE_FIELD} value={exact(id)} checked={isChosen} />
              {id}
            </label>
          </li>
        ))}
      </ul>
    </section>
  )
}
