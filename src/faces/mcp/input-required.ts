import type { AuthorizationChallenge, Failure } from '../../core/failure.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { metaOf, textOf } from './failure.ts'
import { type McpError, MISSING_CAPABILITY, URL_ELICITATION_REQUIRED } from './json-rpc.ts'
import type { Revision } from './revisions/revision.ts'
import { isJsonObject } from './tool-schema.ts'
import { encodeErrorResult, type ToolCall } from './wire.ts'

type Asking = Extract<Failure, { type: 'input-required' }>
type Missing = Extract<Failure, { type: 'requirements-missing' }>

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
 * A call that lacks a person's consent. Whoever can be shown a URL is asked, once; whoever was asked, or cannot be, gets a
 * result that says why, with the link: "accept" only means that the page was opened, so to ask again could go on forever.
 */
export function missingRequirements(failure: Missing, call: ToolCall, as: Revision): string | McpError {
  const { authorization } = failure
  const onlyConsent = authorization.length > 0 && failure.secrets.length === 0 && !failure.user_id
  if (!onlyConsent) return encodeErrorResult(textOf(failure), as, metaOf(failure))
  if (call.responses) {
    const declined = authorization.filter(({ id }) => isRefusal(call.responses?.[keyOf(id)]))
    if (declined.length === 0) return encodeErrorResult(textOf(failure), as, metaOf(failure))
    const names = declined.map(({ id }) => `'${id}'`).join(', ')
    return encodeErrorResult(
      `The user declined to authorize ${names}, which '${failure.tool}' needs`,
      as,
      metaOf(failure),
    )
  }
  if (!declares(call.capabilities, URL_ELICITATION)) return encodeErrorResult(textOf(failure), as, metaOf(failure))
  if (as.inputRequired) {
    const requests = Object.fromEntries(authorization.map((each) => [keyOf(each.id), elicitation(each, failure.tool)]))
    return as.inputRequired(inputRequired(requests, undefined))
  }
  const elicitations = authorization.map((each) => ({
    ...elicitation(each, failure.tool).params,
    elicitationId: new URL(each.url).searchParams.get('id') ?? each.url,
  }))
  const message = 'This request requires more information'
  return { code: URL_ELICITATION_REQUIRED, message, data: { elicitations }, status: 200 }
}

function elicitation({ id, url }: AuthorizationChallenge, tool: string): { method: string; params: JsonObject } {
  const message = `Authorize '${id}' so that '${tool}' can go on`
  return { method: 'elicitation/create', params: { mode: 'url', message, url } }
}

function keyOf(provider: string): string {
  return `authorization:${provider}`
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
