import type { Child } from 'hono/jsx'
import * as base64url from 'jose/base64url'
import { INLINE_BYTES } from '../../core/call/call-options.ts'
import { MODEL_INLINE_BYTES } from '../../core/call/output.ts'
import type { AuthorizationChallenge } from '../../core/consent/authorization.ts'
import type { Artifact, ToolFailure } from '../../core/tool/content.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/tool/json.ts'
import { parseJson } from '../../core/tool/json-text.ts'
import { canonicalJson } from '../../core/tool/digest.ts'
import { encodePointerStep, type Problem } from '../../core/tool/problem.ts'
import { truncate } from '../../http/page/text.ts'
import { yieldToEventLoop } from '../../http/request/body.ts'
import type { CallResponse, StartedCall, PageContext } from '../page-context.ts'
import { type Field, ROOT_FIELD } from '../form/fields.ts'
import { ProblemSummary } from '../form/problems.tsx'
import { FieldProblem, FieldRows, FoldedRows, OmittedNote } from '../form/field-rows.tsx'
import { toForm, readFormInput, toFormValues, RAW_JSON_FIELD } from '../form/values.ts'
import { exact, LivePlace } from '../parts.tsx'
import { describeFieldType } from './parameters.tsx'

/** The response body of `POST /tools/call` (`dialects/oxp/wire.ts`): a result or a failure. */
export interface CallBody {
  readonly result?: {
    readonly success: boolean
    readonly duration: number
    readonly value?: Json
    readonly error?: CallError
  }
  /** Replaces a value that is too large. */
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
  /** Values that could not be read. If there are any, nothing was called. */
  readonly problems: readonly Problem[]
  /** The same input as JSON or as fields, if the person switched between them; then nothing was called. */
  readonly form?: URLSearchParams
  readonly reply?: CallResponse<CallBody>
  readonly running?: Exclude<StartedCall<CallBody>, { readonly reply: unknown }>
}

/** Calls the tool with the form's input, or changes the form to JSON or back to fields. */
export async function callFromForm(page: PageContext, tool: string, fields: readonly Field[]): Promise<FormCall> {
  const { form } = page
  const { input, problems } = readFormInput(fields, form)
  if (problems.length > 0) return { input, problems }
  const change = form.get('do')
  if (change === AS_JSON || change === AS_FIELDS) return changeForm(form, fields, input)
  // Larger results make a page slow
  const context = { [INLINE_BYTES]: MODEL_INLINE_BYTES, ...readContext(page) }
  const formId = form.get('call_id')
  // A call without an id is canceled when its caller leaves. A script sends no id, and offers to cancel the call
  const id = formId === null ? {} : { call_id: await deriveCallId(formId, { input, context }) }
  const request = { tool_id: tool, ...id, input, context }
  await yieldToEventLoop()
  const startedCall = await page.startCall<CallBody>('POST /tools/call', { request })
  return { input, problems, ...('reply' in startedCall ? startedCall : { running: startedCall }) }
}

const AS_JSON = 'edit-json'
const AS_FIELDS = 'edit-fields'

/** Changes the form to JSON for the whole input, or back to fields, with problems for values that they cannot show. */
function changeForm(form: URLSearchParams, fields: readonly Field[], input: JsonObject): FormCall {
  const otherFields = [...form].filter(([name]) => name !== RAW_JSON_FIELD && !/^(?:\w+:)?input\//.test(name))
  const isToJson = form.get('do') === AS_JSON
  const inputFields = isToJson ? [[RAW_JSON_FIELD, JSON.stringify(input, null, 2)]] : [...toForm(fields, input)]
  const newForm = new URLSearchParams([...otherFields, ...inputFields])
  return { input, problems: listLostValues(fields, input, readFormInput(fields, newForm).input), form: newForm }
}

/** Lists the values that a form shows differently, or not at all. */
function listLostValues(fields: readonly Field[], input: JsonObject, formInput: JsonObject): readonly Problem[] {
  return Object.entries(input).flatMap(([key, value = null]): readonly Problem[] => {
    const shownValue = formInput[key]
    if (shownValue !== undefined && canonicalJson(value) === canonicalJson(shownValue)) return []
    const path = encodePointerStep(key)
    const field = fields.find((candidate) => candidate.key === key)
    if (field?.kind.type === 'group' && isJsonObject(value) && isJsonObject(shownValue)) {
      const inner = listLostValues(field.kind.fields, value, shownValue)
      return inner.map((problem) => ({ ...problem, path: `${path}${problem.path}` }))
    }
    return [{ path, message: `The form cannot hold ${truncate(JSON.stringify(value))}, which the JSON had` }]
  })
}

/** Fills the form with an earlier input, as JSON if the fields cannot show all of it. Nothing is called. */
export function fillForm(fields: readonly Field[], input: JsonObject, others: URLSearchParams): FormCall {
  const asFields = changeForm(new URLSearchParams([...others, ['do', AS_FIELDS]]), fields, input)
  return asFields.problems.length === 0
    ? asFields
    : changeForm(new URLSearchParams([...others, ['do', AS_JSON]]), fields, input)
}

function readContext({ form }: Pick<PageContext, 'form'>): JsonObject {
  const user = form.get('user_id')?.trim() ?? ''
  const values = [...form].flatMap(([name, text]): (readonly [string, Json])[] => {
    const [, key] = /^context\/(.+)$/s.exec(name) ?? []
    return key === undefined || text.trim() === '' ? [] : [[key, parseJsonOrText(text)]]
  })
  return { ...(user === '' ? {} : { user_id: user }), ...Object.fromEntries(values) }
}

function parseJsonOrText(text: string): Json {
  const result = parseJson(text)
  return result.ok ? result.value : text
}

/** Derives the same id for a form that is sent twice, and another if its input was changed in between. */
async function deriveCallId(formId: string, call: object): Promise<string> {
  const bytes = new TextEncoder().encode(`${formId.slice(0, 100)}\n${JSON.stringify(call)}`)
  return `console-${base64url.encode(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))}`
}

/** Lists the pages on which a person must act before the call is repeated. */
export function listChallenges(reply: CallBody): Challenges {
  const { authorization = [] } = reply.missing_requirements ?? {}
  return authorization.filter(({ url }) => /^https?:\/\//.test(url))
}

function collectProblems({ problems, reply }: FormCall): readonly Problem[] {
  const { parameter_errors = {} } = reply?.value ?? {}
  const parameterProblems = Object.entries(parameter_errors).map(([name, message]) => ({
    path: encodePointerStep(name),
    message,
  }))
  return [...problems, ...parameterProblems]
}

interface CallFormProps {
  readonly fields: readonly Field[]
  /** Names of inputs that models must not fill in. */
  readonly context: readonly string[]
  readonly hasUserField: boolean
  /** The call that this form made, if any. */
  readonly call: FormCall | undefined
  readonly form: URLSearchParams
  readonly isRunning: boolean
  readonly children: Child
}

/** More optional fields are folded. */
const MAX_UNFOLDED_FIELDS = 6

/** The parameters, the button and the result. While a call runs, the style sheet hides the button. */
export function CallForm({ fields, context, hasUserField, call, form: submitted, isRunning, children }: CallFormProps) {
  const shownForm = call?.form ?? submitted
  const form = toFormValues(shownForm)
  const problems = call ? collectProblems(call) : []
  const rawJson = form.get(RAW_JSON_FIELD)
  const optional = fields.filter(({ isRequired }) => !isRequired)
  const foldedFields = new Set(optional.slice(Math.max(0, MAX_UNFOLDED_FIELDS - (fields.length - optional.length))))
  const rows = { form, problems, describeType: describeFieldType }
  return (
    <form class="call" method="post" action="#answer" novalidate data-call>
      <section class="fields" aria-labelledby="input">
        <h2 id="input">Parameters</h2>
        {/* Browsers press the first button of a form for the Enter key */}
        <button hidden tabindex={-1} />
        <input type="hidden" name="call_id" value={crypto.randomUUID()} />
        {fields.length === 0 ? <p class="note">No parameters.</p> : undefined}
        {hasUserField ? (
          <label>
            User <span class="note">whose connected accounts are used</span>
            <input name="user_id" maxlength={256} autocomplete="off" value={exact(form.get('user_id') ?? '')} />
          </label>
        ) : undefined}
        {rawJson === null ? (
          <>
            <FieldRows fields={fields.filter((field) => !foldedFields.has(field))} {...rows} />
            <FoldedRows summary={`${foldedFields.size} more optional`} fields={[...foldedFields]} {...rows} />
          </>
        ) : (
          <label class="field">
            Input <span class="note">JSON</span>
            <textarea
              name={RAW_JSON_FIELD}
              id={`f-${ROOT_FIELD}`}
              rows={rawJson.split('\n', 24).length + 1}
              spellcheck={false}
              aria-describedby="problem-"
              aria-invalid={problems.length > 0 ? 'true' : undefined}
              autofocus={problems.length > 0 || call?.form !== undefined}
            >
              {exact(rawJson)}
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
        <OmittedNote submitted={shownForm} form={form} />
        <div class="actions">
          <button class="go">Call tool</button>
          {fields.length === 0 ? undefined : (
            <button class="quiet" name="do" value={rawJson === null ? AS_JSON : AS_FIELDS}>
              {rawJson === null ? 'Edit as JSON' : 'Edit as form'}
            </button>
          )}
          <RunningCall />
        </div>
      </section>
      <section
        class="panel"
        id="answer"
        tabindex={-1}
        aria-labelledby="result"
        hidden={!isRunning && !call?.reply && problems.length === 0}
      >
        <h2 id="result">Result</h2>
        {isRunning ? (
          <div class="live" role="status">
            <p>
              <progress aria-label="Progress" /> Calling…
            </p>
            <LivePlace />
          </div>
        ) : undefined}
        <ProblemSummary fields={rawJson === null ? fields : []} problems={problems} />
        {children}
      </section>
    </form>
  )
}

/** Shown by a script while the call runs: the latest progress, the seconds, and a button that ends the request. */
function RunningCall() {
  return (
    <>
      <div class="running" data-progress hidden>
        <span data-live role="status">
          <progress aria-label="Progress" /> Calling…
        </span>
        <span class="note" data-seconds></span>
        <button type="button" class="quiet" data-cancel>
          Cancel
        </button>
      </div>
      <span role="status" data-note></span>
    </>
  )
}
