import type { Child } from 'hono/jsx'
import * as base64url from 'jose/base64url'
import { INLINE_BYTES } from '../../core/call/call-options.ts'
import { MODEL_INLINE_BYTES } from '../../core/call/run.ts'
import type { AuthorizationChallenge } from '../../core/consent/authorization.ts'
import type { Budget } from '../../core/tool/budget.ts'
import type { Artifact, ToolFailure } from '../../core/tool/content.ts'
import type { Json, JsonObject } from '../../core/tool/json.ts'
import { parseJson } from '../../core/tool/json-text.ts'
import { encodePointerStep, type Problem } from '../../core/tool/problem.ts'
import { yieldToEventLoop } from '../../http/request/body.ts'
import type { CallEnd, FollowedCall, PageContext } from '../visit.ts'
import type { Field } from '../form/fields.ts'
import { FieldProblem, FieldRows, FoldedRows, LeftOut } from '../form/field-rows.tsx'
import { toForm, readFormInput, toFormValues, RAW_JSON_FIELD } from '../form/values.ts'
import { exact, LivePlace, Notice, SendingNote } from '../parts.tsx'
import { typing } from './parameters.tsx'

/** The body that `POST /tools/call` answers (`dialects/oxp/wire.ts`): a result, or why there is none. */
export interface CallBody {
  readonly result?: {
    readonly success: boolean
    readonly duration: number
    readonly value?: Json
    readonly error?: CallError
  }
  /** In place of a value that is too large. */
  readonly artifact?: Artifact
  readonly message?: string
  readonly developer_message?: string
  readonly parameter_errors?: Readonly<Record<string, string>>
  readonly missing_requirements?: { readonly authorization?: Challenges; readonly user_id?: boolean }
}

export type CallError = ToolFailure & { readonly artifact?: Artifact }

export type Challenges = readonly AuthorizationChallenge[]

export interface FormCall {
  readonly input: JsonObject
  /** Texts that are no JSON; where there are any, nothing was called. */
  readonly problems: readonly Problem[]
  /** The same input in another form, where that was asked for and nothing was called. */
  readonly form?: URLSearchParams
  readonly reply?: CallEnd<CallBody>
  readonly running?: Exclude<FollowedCall<CallBody>, { readonly reply: unknown }>
}

/** Calls the tool with what the form says; or shows the form as JSON, or its JSON as fields again. */
export async function call(visit: PageContext, tool: string, fields: readonly Field[]): Promise<FormCall> {
  const { form, meter } = visit
  const { input, problems } = readFormInput(fields, form, meter)
  if (problems.length > 0) return { input, problems }
  const change = form.get('do')
  if (change === AS_JSON || change === AS_FIELDS) return { input, problems, form: changeForm(form, fields, input) }
  // A page of more is slow to read
  const context = { [INLINE_BYTES]: MODEL_INLINE_BYTES, ...readContext(visit) }
  const request = {
    tool_id: tool,
    call_id: await deriveCallId(form.get('call_id') ?? '', { input, context }),
    input,
    context,
  }
  await yieldToEventLoop()
  const followed = await visit.follow<CallBody>('POST /tools/call', { request })
  return { input, problems, ...('reply' in followed ? followed : { running: followed }) }
}

const AS_JSON = 'edit-json'
const AS_FIELDS = 'edit-fields'

/** The form with the whole input as JSON in place of its fields, or the other way around. */
function changeForm(form: URLSearchParams, fields: readonly Field[], input: JsonObject): URLSearchParams {
  const kept = [...form].filter(([name]) => name !== RAW_JSON_FIELD && !/^(?:instead:)?input\//.test(name))
  const shown =
    form.get('do') === AS_JSON ? [[RAW_JSON_FIELD, JSON.stringify(input, null, 2)]] : [...toForm(fields, input)]
  return new URLSearchParams([...kept, ...shown])
}

function readContext({ form, meter }: Pick<PageContext, 'form' | 'meter'>): JsonObject {
  const user = form.get('user_id')?.trim() ?? ''
  const values = [...form].flatMap(([name, text]): (readonly [string, Json])[] => {
    const [, key] = /^context\/(.+)$/s.exec(name) ?? []
    return key === undefined || text.trim() === '' ? [] : [[key, jsonOrText(text, meter)]]
  })
  return { ...(user === '' ? {} : { user_id: user }), ...Object.fromEntries(values) }
}

function jsonOrText(text: string, meter: Budget): Json {
  const read = parseJson(text, meter)
  return read.ok ? read.value : text
}

/** A form that is sent twice is one call; one that was changed is another, since browsers go back to forms. */
async function deriveCallId(formId: string, call: object): Promise<string> {
  const bytes = new TextEncoder().encode(`${formId.slice(0, 100)}\n${JSON.stringify(call)}`)
  return `console-${base64url.encode(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))}`
}

/** The pages at which somebody has to do something before the call can be made again. */
export function listChallenges(reply: CallBody): Challenges {
  const { authorization = [] } = reply.missing_requirements ?? {}
  return authorization.filter(({ url }) => /^https?:\/\//.test(url))
}

function collectProblems({ problems, reply }: FormCall): readonly Problem[] {
  const { parameter_errors = {} } = reply?.value ?? {}
  const refused = Object.entries(parameter_errors).map(([name, message]) => ({
    path: encodePointerStep(name),
    message,
  }))
  return [...problems, ...refused]
}

interface CallFormProps {
  readonly fields: readonly Field[]
  /** Inputs that no model may infer. */
  readonly context: readonly string[]
  readonly asksUser: boolean
  /** The call that this form made. */
  readonly called: FormCall | undefined
  readonly form: URLSearchParams
  readonly isRunning: boolean
  readonly children: Child
}

/** More fields than these are folded, unless they are required. */
const MAX_OPEN = 6

/** The parameters, with the button and the result at their side; the button comes once a running call has ended. */
export function CallForm({ fields, context, asksUser, called, form: given, isRunning, children }: CallFormProps) {
  const sent = called?.form ?? given
  const form = toFormValues(sent)
  const problems = called ? collectProblems(called) : []
  const hasFailed = called !== undefined && !called.form && called.reply?.value.result?.success !== true
  const whole = form.get(RAW_JSON_FIELD)
  const optional = fields.filter(({ isRequired }) => !isRequired)
  const folded = new Set(optional.slice(Math.max(0, MAX_OPEN - (fields.length - optional.length))))
  const rows = { form, problems, typing }
  return (
    <form class="call" method="post" action="#answer" novalidate data-call>
      <section class="fields" aria-labelledby="input">
        <h2 id="input">Parameters</h2>
        {/* Browsers press the first button of a form for the Enter key */}
        <button hidden tabindex={-1} />
        <input type="hidden" name="call_id" value={crypto.randomUUID()} />
        {fields.length === 0 ? <p class="note">No parameters.</p> : undefined}
        {asksUser ? (
          <label>
            User <span class="note">whose connected accounts are used</span>
            <input name="user_id" maxlength={256} autocomplete="off" value={exact(form.get('user_id') ?? '')} />
          </label>
        ) : undefined}
        {whole === null ? (
          <>
            <FieldRows fields={fields.filter((field) => !folded.has(field))} {...rows} />
            <FoldedRows summary={`${folded.size} more optional`} fields={[...folded]} {...rows} />
          </>
        ) : (
          <label class="field">
            Input <span class="note">JSON</span>
            <textarea
              name={RAW_JSON_FIELD}
              rows={whole.split('\n', 24).length + 1}
              spellcheck={false}
              aria-describedby="problem-"
            >
              {exact(whole)}
            </textarea>
          </label>
        )}
        <FieldProblem name="" problems={problems.filter(({ path }) => path === '')} />
        {context.map((name) => (
          <label>
            {name} <span class="note">JSON or text, not filled in by a model</span>
            <input name={`context/${name}`} value={exact(form.get(`context/${name}`) ?? '')} />
          </label>
        ))}
        {fields.length === 0 ? undefined : (
          <button class="quiet" name="do" value={whole === null ? AS_JSON : AS_FIELDS}>
            {whole === null ? 'Edit as JSON' : 'Edit as form'}
          </button>
        )}
        <LeftOut sent={sent} shown={form} />
      </section>
      <section class="panel" aria-labelledby="answer">
        <h2 id="answer">Result</h2>
        {isRunning ? (
          <div class="live" role="status">
            <LivePlace />
          </div>
        ) : undefined}
        <button class="go">{hasFailed ? 'Try again' : 'Call tool'}</button>
        <SendingNote>Calling…</SendingNote>
        {problems.length > 0 && !called?.reply ? <ProblemCount count={problems.length} /> : undefined}
        {children}
      </section>
    </form>
  )
}

function ProblemCount({ count }: { count: number }) {
  return <Notice isProblem>{count === 1 ? '1 value needs' : `${count} values need`} a correction.</Notice>
}
