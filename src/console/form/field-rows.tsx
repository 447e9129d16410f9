import type { Json } from '../../core/tool/json.ts'
import type { Problem } from '../../core/tool/problem.ts'
import { Markdown } from '../markdown.tsx'
import { exact } from '../parts.tsx'
import { type Field, type FieldKind, ROOT_FIELD } from './fields.ts'
import { toRawName } from './values.ts'

interface FieldRowsProps {
  readonly fields: readonly Field[]
  readonly form: URLSearchParams
  /** Paths are those of the input; each stands at the innermost field that has it. */
  readonly problems: readonly Problem[]
  readonly formatLabel?: (key: string) => string
  /** The type stands beside each label, the rules below its description. */
  readonly typing?: (field: Field) => { readonly type: string; readonly rules: readonly string[] }
}

/** Fields that most do without: they are folded away while they are empty. */
export function FoldedRows({ summary, ...rows }: FieldRowsProps & { readonly summary: string | undefined }) {
  const { fields, form, problems } = rows
  if (fields.length === 0) return undefined
  const isFilled = [...form].some(([name, text]) => text !== '' && fields.some((field) => name.includes(field.name)))
  const isWrong = problems.some(({ path }) => fields.some(({ name }) => path.startsWith(name.slice(ROOT_FIELD.length))))
  return (
    <details open={isFilled || isWrong}>
      <summary>{summary}</summary>
      <div class="fields">
        <FieldRows {...rows} />
      </div>
    </details>
  )
}

export function FieldRows({ fields, ...rest }: FieldRowsProps) {
  return (
    <>
      {fields.map((field) => (
        <FieldRow field={field} {...rest} />
      ))}
    </>
  )
}

function FieldRow({ field, ...props }: Omit<FieldRowsProps, 'fields'> & { field: Field }) {
  const { form, problems, formatLabel = (text) => text, typing } = props
  const { name, key, description, isRequired, kind } = field
  const own = problems.filter(({ path }) => matchesField(field, path))
  const id = `f-${name}`
  const { type = '', rules = [] } = typing?.(field) ?? {}
  const isDescribed = description !== '' || rules.length > 0
  const about = [...(isDescribed ? [`about-${name}`] : []), ...(own.length === 0 ? [] : [`problem-${name}`])]
  const label = (
    <>
      {formatLabel(key)}
      {type === '' ? undefined : <span class="note"> {type}</span>}
      {isRequired ? <span class="note"> required</span> : undefined}
      {kind.type in HINTS ? <span class="note"> {HINTS[kind.type]}</span> : undefined}
    </>
  )
  const notes = (
    <>
      {isDescribed ? (
        <div class="note" id={`about-${name}`}>
          <Markdown text={description} />
          {rules.length === 0 ? undefined : <p>{rules.join('; ')}</p>}
        </div>
      ) : undefined}
      <FieldProblem name={name} problems={own} />
    </>
  )
  const described = about.length === 0 ? {} : { 'aria-describedby': about.join(' ') }
  if (kind.type === 'group' || kind.type === 'several') {
    const chosen = new Set(form.getAll(name))
    return (
      <fieldset {...described} {...(kind.type === 'several' ? { class: 'choices' } : {})}>
        <legend>{label}</legend>
        {notes}
        {kind.type === 'group' ? (
          <FieldRows fields={kind.fields} {...props} />
        ) : (
          kind.values.map((value, index) => (
            <label class="choice">
              <input type="checkbox" name={name} value={String(index)} checked={chosen.has(String(index))} />
              <span>{formatValue(value)}</span>
            </label>
          ))
        )}
      </fieldset>
    )
  }
  const isFirst = own.length > 0 && own[0] === problems.find(({ path }) => path !== '')
  const invalid = own.length === 0 ? {} : { 'aria-invalid': 'true', ...(isFirst ? { autofocus: true } : {}) }
  const attributes = { id, name, ...described, ...invalid, ...(isRequired ? { 'aria-required': 'true' } : {}) }
  if (kind.type === 'flag') {
    return (
      <div class="field">
        <label class="choice">
          <input type="checkbox" {...attributes} value="1" checked={form.has(name)} />
          <span>{label}</span>
        </label>
        {notes}
      </div>
    )
  }
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <Control attributes={attributes} kind={kind} value={form.get(name) ?? ''} />
      {kind.type === 'lines' && kind.instead !== undefined ? (
        <label class="choice">
          <input type="checkbox" name={toRawName(name)} value="1" checked={form.has(toRawName(name))} />
          <span>{kind.instead}</span>
        </label>
      ) : undefined}
      {notes}
    </div>
  )
}

const HINTS: Partial<Readonly<Record<FieldKind['type'], string>>> = {
  time: 'in UTC',
  lines: 'one per line',
  entries: 'one per line, as name=value',
  json: 'JSON',
  mixed: 'text, or JSON',
}

/** Whether a problem is of a field; one of a field in a group is not of the group too. */
function matchesField({ name, kind }: Field, path: string): boolean {
  const own = name.slice(ROOT_FIELD.length)
  return path === own || (kind.type !== 'group' && path.startsWith(`${own}/`))
}

export function FieldProblem({ name, problems }: { name: string; problems: readonly Problem[] }) {
  return problems.length === 0 ? undefined : (
    <p class="field-problem" id={`problem-${name}`}>
      {problems.map(({ message }) => message).join('; ')}
    </p>
  )
}

export function LeftOut({ sent, shown }: { sent: URLSearchParams | undefined; shown: URLSearchParams }) {
  if (!sent || sent.size === shown.size) return undefined
  return <p class="note">Values longer than 64 KB are not kept: enter them again.</p>
}

function Control({ attributes, kind, value }: { attributes: object; kind: FieldKind; value: string }) {
  switch (kind.type) {
    case 'choice':
      return (
        <select {...attributes}>
          <option value="">—</option>
          {kind.values.map((each, index) => (
            <option value={String(index)} selected={value === String(index)}>
              {formatValue(each)}
            </option>
          ))}
        </select>
      )
    case 'number': {
      const inputmode = kind.isWhole ? 'numeric' : 'decimal'
      return <input {...attributes} inputmode={inputmode} autocomplete="off" value={exact(value)} />
    }
    case 'time':
      return <input {...attributes} type="datetime-local" step="1" value={exact(value)} />
    default:
      if (kind.type === 'text' && !kind.isLong) return <input {...attributes} autocomplete="off" value={exact(value)} />
      return (
        <textarea {...attributes} spellcheck={kind.type === 'text'}>
          {exact(value)}
        </textarea>
      )
  }
}

function formatValue(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
