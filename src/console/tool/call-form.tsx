import type { Problem } from '../../core/tool/problem.ts'
import { FieldProblem, FieldRows } from '../form/field-rows.tsx'
import type { Field } from '../form/fields.ts'
import { WHOLE } from '../form/values.ts'
import { exact } from '../parts.tsx'

interface CallFormProps {
  readonly fields: readonly Field[]
  /** Inputs that no model may infer. */
  readonly context: readonly string[]
  readonly asksUser: boolean
  readonly callId: string
  readonly hasFailed: boolean
  readonly form: URLSearchParams
  readonly problems: readonly Problem[]
}

export function CallForm({ fields, context, asksUser, callId, hasFailed, form, problems }: CallFormProps) {
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
      <FieldRows fields={fields} form={form} problems={problems} />
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
        <FieldProblem name="" problems={problems.filter(({ path }) => path === '')} />
      </details>
      <button class="go">{hasFailed ? 'Try again' : 'Call it'}</button>
      <p role="status" data-progress hidden>
        Calling…
      </p>
    </form>
  )
}
