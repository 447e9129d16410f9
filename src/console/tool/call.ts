import { base64url } from 'jose'
import { isJsonObject, type Json, type JsonObject } from '../../core/tool/json.ts'
import { pointerStep, type Problem } from '../../core/tool/problem.ts'
import { nestsTooDeep } from '../../http/request/json-text.ts'
import type { Followed, Reply, Visit } from '../page.ts'
import type { Field } from '../form/fields.ts'
import { readInput } from '../form/values.ts'

/** What `POST /tools/call` answers (`dialects/oxp/wire.ts`): a result, or why there is none. */
export interface CallReply {
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

/** What went wrong while a tool ran. */
export interface CallError {
  readonly message: string
  readonly developer_message?: string
  readonly can_retry?: boolean
  readonly additional_prompt_content?: string
  readonly artifact?: { readonly url: string }
}

/** What came of a form. */
export interface Called {
  readonly input: JsonObject
  /** What is no JSON; then nothing was called. */
  readonly problems: readonly Problem[]
  readonly reply?: Reply<CallReply>
}

/** The same of a call that tells of progress first. */
export interface Calling extends Called {
  readonly running?: Exclude<Followed<CallReply>, { readonly reply: unknown }>
}

/** Calls a tool as a form says, as who visits. */
export async function call(visit: Visit, tool: string, fields: readonly Field[]): Promise<Calling> {
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
  const followed = await visit.follow<CallReply>('POST', '/tools/call', { request })
  return { input, problems, ...('reply' in followed ? followed : { running: followed }) }
}

function contextOf(form: URLSearchParams): JsonObject {
  const user = form.get('user_id')?.trim() ?? ''
  const given = [...form].flatMap(([name, text]): (readonly [string, Json])[] => {
    const [, key] = /^context\/(.+)$/s.exec(name) ?? []
    return key === undefined || text.trim() === '' ? [] : [[key, jsonOrText(text)]]
  })
  return { ...(user === '' ? {} : { user_id: user }), ...Object.fromEntries(given) }
}

function jsonOrText(text: string): Json {
  if (nestsTooDeep(text)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/**
 * The id of a call: of a form that is sent twice the same, so that it is called once, and of one that was changed another, since
 * browsers go back to forms.
 */
async function callIdOf(formId: string, said: object): Promise<string> {
  const bytes = new TextEncoder().encode(`${formId.slice(0, 100)}\n${JSON.stringify(said)}`)
  return `console-${base64url.encode(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))}`
}

/** Whether what came of a call is a challenge: somebody has to do something, and then it can be made again. */
export function challengesOf(reply: CallReply): readonly { readonly id: string; readonly url: string }[] {
  const { authorization = [] } = reply.missing_requirements ?? {}
  return authorization.filter((each) => isJsonObject({ ...each }) && /^https?:\/\//.test(each.url))
}

/** Everything that is wrong with the input of a call, at its place. */
export function problemsOf({ problems, reply }: Called): readonly Problem[] {
  const { parameter_errors = {} } = reply?.value ?? {}
  const refused = Object.entries(parameter_errors).map(([name, message]) => ({ path: pointerStep(name), message }))
  return [...problems, ...refused]
}
