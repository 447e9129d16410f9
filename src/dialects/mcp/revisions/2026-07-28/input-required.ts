import { APPROVAL, type Challenge } from '../../../../core/consent/authorization.ts'
import type { Failure } from '../../../../core/call/failure.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../../core/tool/json.ts'
import { metaOf, textOf } from '../../failure.ts'
import { type McpError, MISSING_CAPABILITY, URL_ELICITATION_REQUIRED } from '../../json-rpc.ts'
import type { Kept } from './request-state.ts'
import type { Revision } from '../revision.ts'
import { encodeErrorResult, type ToolCall } from '../../wire.ts'

type Asking = Extract<Failure, { type: 'input-required' }>
type Challenged = Extract<Failure, { type: 'requirements-missing' | 'approval-required' }>

/** What a client is to be asked for on our own behalf, and the result that does. */
interface Ask {
  readonly requests: Asking['requests']
  readonly ask: (members: string) => string
}

/** The requests a result may carry, or what the client would have to be capable of. */
export type Askable = { readonly requests: Asking['requests'] } | { readonly error: McpError } | undefined

/**
 * What of a tool's requests the client can be asked: "servers MUST NOT send an input request of a kind the client did not
 * declare". Undefined when the tool asks for what the protocol has no request for.
 */
export function askable({ requests }: Asking, capabilities: JsonObject): Askable {
  const can: [string, Asking['requests'][string]][] = []
  let missing: JsonObject | undefined
  for (const [key, request] of Object.entries(requests)) {
    const needed = neededFor(request)
    if (needed === undefined) return undefined
    if (declares(capabilities, needed)) can.push([key, request])
    else missing = { ...missing, ...needed }
  }
  if (missing === undefined || can.length > 0) return { requests: Object.fromEntries(can) }
  const message = `The tool needs a client that can be asked for ${Object.keys(missing).join(', ')}`
  return { error: { code: MISSING_CAPABILITY, message, data: { requiredCapabilities: missing }, status: 400 } }
}

/** The members of a result that asks. */
export function inputRequired(requests: Asking['requests'], sealed: string | undefined): string {
  const asked = `"inputRequests":${JSON.stringify(requests)}`
  return sealed === undefined ? asked : `${asked},"requestState":${JSON.stringify(sealed)}`
}

/**
 * A call that a person must first do something for: consent, or approve. Whoever can be shown a URL is asked for it, once;
 * whoever was asked, or cannot be, gets a result that says why, with the link: "accept" only means that the page was
 * opened, so to ask again could go on forever.
 */
export function challenged(failure: Challenged, call: ToolCall, kept: Kept, as: Revision): string | McpError | Ask {
  const told = (text = textOf(failure)) => encodeErrorResult(text, as, metaOf(failure))
  const challenges = challengesOf(failure)
  if (challenges.length === 0 || !declares(call.capabilities, URL_ELICITATION)) return told()
  if (!as.inputRequired) {
    const elicitations = challenges.map((each) => ({
      ...elicitation(each, failure).params,
      elicitationId: each.authorization ?? each.url,
    }))
    // Some clients show nothing of an error but its message
    return { code: URL_ELICITATION_REQUIRED, message: textOf(failure), data: { elicitations }, status: 200 }
  }
  const declined = challenges.filter(({ id }) => isRefusal(call.responses?.[keyOf(id)]))
  if (declined.length > 0) {
    const what = declined
      .map(({ id }) => (id === APPROVAL ? 'approve this call' : `authorize '${id}'`))
      .join(' and to ')
    return told(`The user declined to ${what}, which the tool needs before it can be called`)
  }
  const asked = challenges.some(({ id }) => kept.asked.includes(keyOf(id)) || call.responses?.[keyOf(id)] !== undefined)
  if (asked) return told(`The user was asked and is not done yet\n${textOf(failure)}`)
  const requests = Object.fromEntries(challenges.map((each) => [keyOf(each.id), elicitation(each, failure)]))
  return { requests, ask: as.inputRequired }
}

/** What a person alone can put right; nothing when the call lacks something else as well. */
function challengesOf(failure: Challenged): readonly Challenge[] {
  if (failure.type === 'approval-required') return [failure.challenge]
  const onlyConsent = failure.secrets.length === 0 && !failure.user_id
  return onlyConsent ? failure.authorization : []
}

function elicitation({ id, url }: Challenge, failure: Challenged): { method: string; params: JsonObject } {
  const message =
    failure.type === 'approval-required'
      ? `Approve this call of '${failure.id}'`
      : `Authorize '${id}' so that '${failure.tool}' can go on`
  return { method: 'elicitation/create', params: { mode: 'url', message, url } }
}

/** What an answer of the client's stands under: by the name of what was asked for. */
function keyOf(id: string): string {
  return `authorization:${id}`
}

function isRefusal(answer: Json | undefined): boolean {
  return isJsonObject(answer) && (answer.action === 'decline' || answer.action === 'cancel')
}

const URL_ELICITATION: JsonObject = { elicitation: { url: {} } }
const FORM_ELICITATION: JsonObject = { elicitation: { form: {} } }

/** The capability a client has declared that takes a request, as `ClientCapabilities` has it. */
function neededFor({ method, params }: Asking['requests'][string]): JsonObject | undefined {
  switch (method) {
    case 'elicitation/create':
      return params.mode === 'url' ? URL_ELICITATION : FORM_ELICITATION
    case 'sampling/createMessage':
      return { sampling: params.tools === undefined && params.toolChoice === undefined ? {} : { tools: {} } }
    case 'roots/list':
      return { roots: {} }
    default:
      return undefined
  }
}

/** Whether capabilities hold what is needed. An empty `elicitation` means forms, as it did before there were URLs. */
function declares(capabilities: JsonObject, needed: JsonObject): boolean {
  return Object.entries(needed).every(([name, parts]) => {
    const declared = capabilities[name]
    if (!isJsonObject(declared) || !isJsonObject(parts)) return false
    if (name === 'elicitation' && 'form' in parts && !('url' in declared)) return true
    return Object.keys(parts).every((part) => isJsonObject(declared[part]))
  })
}
