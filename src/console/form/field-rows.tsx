import type { Json } from '../../core/tool/json.ts'
import type { Problem } from '../../core/tool/problem.ts'
import { Markdown } from '../markdown.tsx'
import { exact, formatCode } from '../parts.tsx'
import { type Field, type FieldKind, ROOT_FIELD } from './fields.ts'
import { toRawName, toTypeName } from './values.ts'

interface FieldRowsProps {
  readonly fields: readonly Field[]
  readonly form: URLSearchParams
  /** Their paths point into the input. Each is shown at the innermost field that contains its path. */
  readonly problems: readonly Problem[]
  /** The type is shown beside the label, the rules below the description. */
  readonly describeType?: (field: Field) => { readonly type: string; readonly rules: readonly string[] }
  /** The label of an optional group around the fields, which are required only if one of them is set. */
  readonly optionalGroup?: string | undefined
}

/** Rarely used fields: folded while they are empty. */
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

export function FieldRows({ fields, ...props }: FieldRowsProps) {
  return (
    <>
      {fields.map((field) => (
        <FieldRow field={field} {...props} />
      ))}
    </>
  )
}

function FieldRow({ field, ...props }: Omit<FieldRowsProps, 'fields'> & { field: Field }) {
  const { form, problems, describeType, optionalGroup } = props
  const { name, label: labelText, description, isRequired, kind } = field
  const fieldProblems = problems.filter(({ path }) => matchesField(field, path))
  const id = `f-${name}`
  const { type = '', rules = [] } = describeType?.(field) ?? {}
  const isDescribed = description !== '' || rules.length > 0
  const hasProblem = fieldProblems.length > 0
  const noteIds = [...(isDescribed ? [`about-${name}`] : []), ...(hasProblem ? [`problem-${name}`] : [])]
  const describedBy = noteIds.join(' ') || undefined
  const label = (
    <>
      {labelText}
      {type === '' ? undefined : <span class="note"> {type}</span>}
      {isRequired ? <span class="note"> required{optionalGroup && ` if you set ${optionalGroup}`}</span> : undefined}
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
      <FieldProblem name={name} problems={fieldProblems} />
    </>
  )
  if (kind.type === 'group' || kind.type === 'several') {
    const selectedValues = new Set(form.getAll(name))
    return (
      <fieldset id={id} aria-describedby={describedBy} class={kind.type === 'several' ? 'choices' : undefined}>
        <legend>{label}</legend>
        {notes}
        {kind.type === 'group' ? (
          <FieldRows
            fields={kind.fields}
            {...props}
            optionalGroup={isRequired ? optionalGroup : labelText.toLowerCase()}
          />
        ) : (
          kind.values.map((value, index) => (
            <label class="choice">
              <input type="checkbox" name={name} value={String(index)} checked={selectedValues.has(String(index))} />
              <span>
                {formatValue(value)} <span class="note">{kind.notes?.[formatValue(value)]}</span>
              </span>
            </label>
          ))
        )}
      </fieldset>
    )
  }
  const attributes = {
    id,
    name,
    'aria-describedby': describedBy,
    'aria-invalid': hasProblem ? 'true' : undefined,
    'autofocus': hasProblem && fieldProblems[0] === problems.find(({ path }) => path !== ''),
    'aria-required': isRequired && optionalGroup === undefined ? 'true' : undefined,
  }
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
      {kind.type === 'mixed' ? (
        <TypeSelect field={field} types={kind.types} value={form.get(toTypeName(name))} />
      ) : undefined}
      {kind.type === 'lines' && kind.constant !== undefined ? (
        <label class="choice">
          <input type="checkbox" name={toRawName(name)} value="1" checked={form.has(toRawName(name))} />
          <span>{kind.constant}</span>
        </label>
      ) : undefined}
      {notes}
    </div>
  )
}

const HINTS: Partial<Readonly<Record<FieldKind['type'], string>>> = {
  time: '(UTC)',
  lines: 'one per line',
  entries: 'one per line, as name=value',
  json: 'JSON',
}

/** Selects how to read a field of several types. By default, a text that parses as another type, such as 5, has that type. */
function TypeSelect({ field, types, value }: { field: Field; types: readonly string[]; value: string | null }) {
  return (
    <select class="type" name={toTypeName(field.name)} aria-label={`Type of ${field.label}`}>
      <option value="">Detect the type</option>
      {types.map((type) => (
        <option value={type} selected={value === type}>
          {formatCode(type)}
        </option>
      ))}
    </select>
  )
}

/** Checks whether a problem belongs to a field. A problem of a field in a group does not belong to the group. */
function matchesField({ name, kind }: Field, path: string): boolean {
  const pointer = name.slice(ROOT_FIELD.length)
  return path === pointer || (kind.type !== 'group' && path.startsWith(`${pointer}/`))
}

export function FieldProblem({ name, problems }: { name: string; problems: readonly Problem[] }) {
  return problems.length === 0 ? undefined : (
    <p class="field-problem" id={`problem-${name}`}>
      {problems.map(({ message }) => message).join('; ')}
    </p>
  )
}

export function OmittedNote({ submitted, form }: { submitted: URLSearchParams | undefined; form: URLSearchParams }) {
  if (!submitted || submitted.size === form.size) return undefined
  return <p class="note">Values longer than 64 KB are not kept: enter them again.</p>
}

function Control({ attributes, kind, value }: { attributes: object; kind: FieldKind; value: string }) {
  switch (kind.type) {
    case 'choice':
      return (
        <select {...attributes}>
          <option value="">—</option>
          {kind.values.map((choice, index) => (
            <option value={String(index)} selected={value === String(index)}>
              {formatValue(choice)}
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
      if (isOneLine(kind, value)) return <input {...attributes} autocomplete="off" value={exact(value)} />
      return (
        <textarea {...attributes} spellcheck={kind.type === 'text'} rows={kind.type === 'text' ? 3 : 2}>
          {exact(value)}
        </textarea>
      )
  }
}

function isOneLine(kind: FieldKind, value: string): boolean {
  if (kind.type === 'text') return !kind.isLong
  return kind.type === 'mixed' && !/[\r\n]/.test(value) && !kind.types.some((type) => /array|object/.test(type))
}

function formatValue(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
