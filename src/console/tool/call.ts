import { base64url } from 'jose'
import { type Json, type JsonObject, parseJson } from '../../core/tool/json.ts'
import { pointerStep, type Problem } from '../../core/tool/problem.ts'
import { nestsTooDeep } from '../../http/request/json-text.ts'
import type { CallEnd, FollowedCall, PageVisit } from '../page.ts'
import type { Field } from '../form/fields.ts'
import { readInput } from '../form/values.ts'

/** The body that `POST /tools/call` answers (`dialects/oxp/wire.ts`): a result, or why there is none. */
export interface CallBody {
  readonly result?: {
    readonly call_id: string
    readonly success: boolean
    readonly duration: number
    readonly value?: Json
    readonly error?: CallError
  }
  readonly message?: string
  readonly developer_message?: string
  readonly parameter_errors?: Readonly<Record<string, string>>
  readonly missing_requirements?: {
    readonly authorization?: readonly { readonly id: string; readonly url: string }[]
    readonly secrets?: readonly { readonly id: string }[]
    readonly user_id?: boolean
  }
}

export interface CallError {
  readonly message: string
  readonly developer_message?: string
  readonly can_retry?: boolean
  readonly additional_prompt_content?: string
  readonly artifact?: { readonly url: string }
}

export interface FormCall {
  readonly input: JsonObject
  /** Texts that are no JSON; where there are any, nothing was called. */
  readonly problems: readonly Problem[]
  readonly reply?: CallEnd<CallBody>
  readonly running?: Exclude<FollowedCall<CallBody>, { readonly reply: unknown }>
}

export async function call(visit: PageVisit, tool: string, fields: readonly Field[]): Promise<FormCall> {
  const { form } = visit
  const { input, problems } = readInput(fields, form)
  if (problems.length > 0) return { input, problems }
  const context = contextOf(form)
  const request = {
    tool_id: tool,
    call_id: await callIdOf(form.get('call_id') ?? '', { input, context }),
    input,
    ...(Object.keys(context).length === 0 ? {} : { context }),
  }
  const followed = await visit.follow<CallBody>('POST /tools/call', { request })
  return { input, problems, ...('reply' in followed ? followed : { running: followed }) }
}

function contextOf(form: URLSearchParams): JsonObject {
  const user = form.get('user_id')?.trim() ?? ''
  const values = [...form].flatMap(([name, text]): (readonly [string, Json])[] => {
    const [, key] = /^context\/(.+)$/s.exec(name) ?? []
    return key === undefined || text.trim() === '' ? [] : [[key, jsonOrText(text)]]
  })
  return { ...(user === '' ? {} : { user_id: user }), ...Object.fromEntries(values) }
}

function jsonOrText(text: string): Json {
  const value = nestsTooDeep(text) ? undefined : parseJson(text)
  return value === undefined ? text : value
}

/** A form that is sent twice is one call; one that was changed is another, since browsers go back to forms. */
async function callIdOf(formId: string, call: object): Promise<string> {
  const bytes = new TextEncoder().encode(`${formId.slice(0, 100)}\n${JSON.stringify(call)}`)
  return `console-${base64url.encode(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))}`
}

/** The pages at which somebody has to do something before the call can be made again. */
export function challengesOf(reply: CallBody): readonly { readonly id: string; readonly url: string }[] {
  const { authorization = [] } = reply.missing_requirements ?? {}
  return authorization.filter(({ url }) => /^https?:\/\//.test(url))
}

/** Problems of the input, found in the form or by the route. */
export function problemsOf({ problems, reply }: FormCall): readonly Problem[] {
  const { parameter_errors = {} } = reply?.value ?? {}
  const refused = Object.entries(parameter_errors).map(([name, message]) => ({ path: pointerStep(name), message }))
  return [...problems, ...refused]
}
