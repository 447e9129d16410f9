import type { Problem } from '../../core/tool/problem.ts'
import { pointerSteps } from '../../core/tool/problem.ts'
import { exact } from '../parts.tsx'
import { type Field, WHOLE } from './fields.ts'

/** What somebody wrote, and what is wrong with it. */
interface Written {
  readonly form: URLSearchParams
  /** By the name of the parameter. */
  readonly problems: ReadonlyMap<string, string>
}

interface CallFormProps extends Written {
  readonly fields: readonly Field[]
  /** What the context of a call gives, since no model may infer it. */
  readonly context: readonly string[]
  /** Whether whoever calls may say for which user. */
  readonly asksUser: boolean
  /** So that the same form, sent twice, calls once. */
  readonly callId: string
  readonly hasFailed: boolean
}

/** The form that calls a tool: without a script, and with what was written still in it. */
export function CallForm({ fields, context, asksUser, callId, hasFailed, ...written }: CallFormProps) {
  const { form } = written
  const whole = form.get(WHOLE) ?? ''
  return (
    <form method="post" action="#answer" novalidate data-call>
      <input type="hidden" name="call_id" value={callId} />
      {asksUser ? (
        <label>
          For the user <span class="note">whose access is used, if the tool needs any</span>
          <input name="user_id" maxlength={256} autocomplete="off" value={exact(form.get('user_id') ?? '')} />
        </label>
      ) : undefined}
      {fields.map((field) => (
        <FieldRow field={field} {...written} />
      ))}
      {context.map((name) => (
        <label>
          {name} <span class="note">as JSON or text: you give it, since no model may make it up</span>
          <input name={`context/${name}`} value={exact(form.get(`context/${name}`) ?? '')} />
        </label>
      ))}
      <details open={whole !== ''}>
        <summary>Write the whole input as JSON instead</summary>
        <label>
          Input
          <textarea name={WHOLE} spellcheck={false}>
            {exact(whole)}
          </textarea>
        </label>
        <FieldProblem name="" {...written} />
      </details>
      <button class="go">{hasFailed ? 'Try again' : 'Call it'}</button>
      <p role="status" data-progress hidden>
        Calling…
      </p>
    </form>
  )
}

/** A problem is of a parameter as a whole: the first step of its path. */
function FieldProblem({ name, problems }: { name: string } & Written) {
  const problem = problems.get(name)
  return problem === undefined ? undefined : (
    <p class="field-problem" id={`problem-${name}`}>
      {problem}
    </p>
  )
}

function FieldRow({ field, ...written }: { field: Field } & Written) {
  const { name, key, description, isRequired, kind } = field
  const isTop = pointerSteps(name.replace(/^input/, ''))?.length === 1
  const problem = isTop ? written.problems.get(key) : undefined
  const id = `f-${name}`
  const about = [
    ...(description === '' ? [] : [`about-${name}`]),
    ...(problem === undefined ? [] : [`problem-${name}`]),
  ]
  const labels = {
    'id': id,
    name,
    ...(about.length === 0 ? {} : { 'aria-describedby': about.join(' ') }),
    ...(problem === undefined ? {} : { 'aria-invalid': 'true' }),
    ...(isRequired ? { 'aria-required': 'true' } : {}),
  }
  const said = (
    <>
      {description === '' ? undefined : (
        <p class="note" id={`about-${name}`}>
          {description}
        </p>
      )}
      {problem === undefined ? undefined : (
        <p class="field-problem" id={`problem-${name}`}>
          {problem}
        </p>
      )}
    </>
  )
  if (kind.type === 'group') {
    return (
      <fieldset>
        <legend>
          {key}
          {isRequired ? <span class="note"> required</span> : undefined}
        </legend>
        {said}
        {kind.fields.map((each) => (
          <FieldRow field={each} {...written} />
        ))}
      </fieldset>
    )
  }
  return (
    <div class="field">
      <label for={id}>
        {key}
        {isRequired ? <span class="note"> required</span> : undefined}
        {hintOf(field)}
      </label>
      <Control labels={labels} kind={kind} value={written.form.get(name) ?? ''} />
      {said}
    </div>
  )
}

function hintOf({ kind }: Field) {
  if (kind.type === 'lines') return <span class="note"> one a line</span>
  return kind.type === 'json' ? <span class="note"> as JSON</span> : undefined
}

interface ControlProps {
  readonly labels: Readonly<Record<string, string>>
  readonly kind: Exclude<Field['kind'], { type: 'group' }>
  readonly value: string
}

function Control({ labels, kind, value }: ControlProps) {
  switch (kind.type) {
    case 'choice':
      return (
        <select {...labels}>
          <option value="">—</option>
          {kind.values.map((each, index) => (
            <option value={String(index)} selected={value === String(index)}>
              {typeof each === 'string' ? each : JSON.stringify(each)}
            </option>
          ))}
        </select>
      )
    case 'number':
      return (
        <input {...labels} inputmode={kind.isWhole ? 'numeric' : 'decimal'} autocomplete="off" value={exact(value)} />
      )
    case 'text':
      if (!kind.isLong) return <input {...labels} autocomplete="off" value={exact(value)} />
      return <textarea {...labels}>{exact(value)}</textarea>
    case 'lines':
    case 'json':
      return (
        <textarea {...labels} spellcheck={false}>
          {exact(value)}
        </textarea>
      )
  }
}

/** The problems of an input by parameter: those of the form's own, and those that the schema has. */
export function byParameter(
  own: readonly Problem[],
  told: Readonly<Record<string, string>> = {},
): ReadonlyMap<string, string> {
  const ofForm = own.map(({ path, message }): [string, string] => [pointerSteps(path)?.[0] ?? '', message])
  return new Map([...Object.entries(told), ...ofForm])
}
