import { parseTrusted } from '../../../../core/tool/json-text.ts'
import { type FailureResult, type Failure, ok, type Result } from '../../../../core/failure/failure.ts'
import type { Seal } from '../../../../core/call/seal.ts'
import { APPROVAL } from '../../../../core/consent/authorization.ts'
import type { InputRequests, InputResponses } from '../../../../core/tool/content.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../../core/tool/json.ts'
import { hasCapability, URL_ELICITATION, toUrlElicitations } from '../../elicitation.ts'
import { toFailureMeta } from '../../../../core/failure/failure-meta.ts'
import { formatFailure } from '../../failure.ts'
import { encodeErrorResult } from '../../tools-call.ts'
import type { McpRequestContext } from '../../toolset.ts'
import { invalid, type McpError, type McpToolCall } from '../../wire.ts'
import type { Revision, RoundTrip } from '../revision.ts'
import { canonicalJson } from '../../../../core/tool/digest.ts'
import * as json from '../../../../core/tool/json-reader.ts'
import { toNameRef } from '../../../../core/tool/tool-id.ts'

type Requests = InputRequests['requests']

interface RoundDeps {
  readonly seal: Seal
  readonly revision: Revision
  readonly inputRequired: (members: string) => string
}

const FORM_ELICITATION: JsonObject = { elicitation: { form: {} } }

/** MCP 2026-07-28, "Error codes". */
const MISSING_CAPABILITY = -32021

/** MCP 2026-07-28, "multi-round-trip requests": the client repeats the call with answers and the sealed state. */
export async function resumeRoundTrip(
  call: McpToolCall,
  client: McpRequestContext,
  deps: RoundDeps,
): Promise<RoundTrip | McpError | FailureResult> {
  const previousState = await readState(call, () => toAssociatedData(call, client), deps.seal)
  return 'code' in previousState || 'failure' in previousState
    ? previousState
    : createRoundTrip(previousState, call, client, deps)
}

export function createRoundTrip(
  previousState: RequestState,
  call: McpToolCall,
  client: McpRequestContext,
  deps: RoundDeps,
): RoundTrip {
  const { seal, revision, inputRequired } = deps
  const inputResponses = mergeResponses(call, previousState)

  async function formatInputRequired(
    requests: Requests,
    state: Partial<RequestState>,
  ): Promise<string | FailureResult> {
    const sealedState = await sealState(state, toAssociatedData(call, client), seal)
    if (!sealedState.ok) return sealedState
    const members = `"inputRequests":${JSON.stringify(requests)}`
    const requestState = sealedState.value === undefined ? '' : `,"requestState":${JSON.stringify(sealedState.value)}`
    return inputRequired(`${members}${requestState}`)
  }

  return {
    inputResponses,
    async requestInput(failure) {
      if (failure.type === 'input-required') {
        const { requests, state } = failure
        const supported = selectSupportedRequests(requests, call.capabilities)
        if (supported === undefined)
          return encodeErrorResult('The tool asks for something that MCP has no request for', revision)
        return 'code' in supported
          ? supported
          : formatInputRequired(supported.requests, state === undefined ? {} : { state })
      }
      const elicitations = toElicitationRequests(failure, call, previousState)
      if (elicitations === undefined) return undefined
      if (typeof elicitations === 'string') return encodeErrorResult(elicitations, revision, toFailureMeta(failure))
      // The tool's answers go along, since it gets them only once the person is done
      return formatInputRequired(elicitations, {
        ...inputResponses,
        asked: [...previousState.asked, ...Object.keys(elicitations)],
      })
    },
  }
}

/** "Servers MUST NOT send an input request of a kind the client did not declare." */
function selectSupportedRequests(
  requests: Requests,
  capabilities: JsonObject,
): { readonly requests: Requests } | McpError | undefined {
  const supported: [string, Requests[string]][] = []
  let missingCapabilities: JsonObject | undefined
  for (const [key, request] of Object.entries(requests)) {
    const required = getRequiredCapabilities(request)
    if (required === undefined) return undefined
    if (hasCapability(capabilities, required)) supported.push([key, request])
    else missingCapabilities = { ...missingCapabilities, ...required }
  }
  if (missingCapabilities === undefined || supported.length > 0) return { requests: Object.fromEntries(supported) }
  const message = `The tool needs a client that can be asked for ${Object.keys(missingCapabilities).join(', ')}`
  return { code: MISSING_CAPABILITY, message, data: { requiredCapabilities: missingCapabilities }, status: 400 }
}

/** Each is asked once: "accept" only means that the page was opened, so asking again could go on forever. */
function toElicitationRequests(
  failure: Failure,
  { capabilities, inputResponses }: McpToolCall,
  { asked }: RequestState,
): Requests | string | undefined {
  const elicitations = toUrlElicitations(failure)
  if (elicitations.length === 0 || !hasCapability(capabilities, URL_ELICITATION)) return undefined
  const ids = elicitations.map(({ challenge }) => challenge.id)
  const declinedIds = ids.filter((id) => isDeclined(inputResponses?.[toKey(id)]))
  if (declinedIds.length > 0) {
    const actions = declinedIds
      .map((id) => (id === APPROVAL ? 'approve this call' : `authorize '${id}'`))
      .join(' and to ')
    return `The user declined to ${actions}, which the tool needs before it can be called`
  }
  if (ids.some((id) => asked.includes(toKey(id)) || inputResponses?.[toKey(id)] !== undefined)) {
    return `The user was asked and is not done yet\n${formatFailure(failure)}`
  }
  return Object.fromEntries(
    elicitations.map(({ challenge, params }) => [toKey(challenge.id), { method: 'elicitation/create', params }]),
  )
}

function toKey(id: string): string {
  return `authorization:${id}`
}

function isDeclined(response: Json | undefined): boolean {
  return isJsonObject(response) && (response.action === 'decline' || response.action === 'cancel')
}

function getRequiredCapabilities({ method, params }: Requests[string]): JsonObject | undefined {
  if (method === 'elicitation/create') return params.mode === 'url' ? URL_ELICITATION : FORM_ELICITATION
  if (method === 'sampling/createMessage')
    return { sampling: params.tools === undefined && params.toolChoice === undefined ? {} : { tools: {} } }
  return method === 'roots/list' ? { roots: {} } : undefined
}

interface RequestState {
  /** Keys of requests that were our own: their answers are not handed to the tool. */
  readonly asked: readonly string[]
  readonly state?: Json
  /** Answers held back from the tool, since a person had to do something first. */
  readonly responses: InputResponses['responses']
}

const STATE: json.Reader<RequestState> = json.object({
  asked: json.optional(json.stringArray, []),
  state: json.anyJson,
  responses: json.optional(json.map(json.anyObject), {}),
})

export const NO_STATE: RequestState = { asked: [], responses: {} }

export const NO_RESPONSES: InputResponses = { responses: {} }

type Sealed = Result<string | undefined>

export async function sealState(state: Partial<RequestState>, associatedData: string, seal: Seal): Promise<Sealed> {
  return Object.keys(state).length === 0 ? ok(undefined) : seal.seal(JSON.stringify(state), associatedData)
}

type Unsealed = RequestState | McpError | FailureResult

export async function readState(
  { requestState }: McpToolCall,
  getAssociatedData: () => string,
  seal: Seal,
): Promise<Unsealed> {
  if (requestState === undefined) return NO_STATE
  const unsealedState = await seal.unseal(requestState, getAssociatedData())
  if (!unsealedState.ok) return unsealedState
  const text = unsealedState.value
  if (text === undefined) return invalid("'requestState' was changed, has expired, or is of another call")
  const read = json.parseValue(STATE, parseTrusted(text))
  return read.ok ? read.value : NO_STATE
}

export function mergeResponses({ inputResponses }: McpToolCall, previousState: RequestState): InputResponses {
  if (inputResponses === undefined && previousState === NO_STATE) return NO_RESPONSES
  const toolResponses = Object.entries(inputResponses ?? {}).filter(([key]) => !previousState.asked.includes(key))
  return {
    responses: { ...previousState.responses, ...Object.fromEntries(toolResponses) },
    ...(previousState.state === undefined ? {} : { state: previousState.state }),
  }
}

/** Binds a state to the call and the user: nobody else may use it. */
export function toAssociatedData(
  { name, selector, input }: McpToolCall,
  { principal, request }: McpRequestContext,
): string {
  const userId = request.headers.get('x-user-id')
  return JSON.stringify(['mcp', principal.id, userId, toNameRef(name, selector), toCanonicalText(input)])
}

function toCanonicalText(input: JsonObject): string {
  try {
    return canonicalJson(input)
  } catch {
    // A lone surrogate has no canonical form
    return JSON.stringify(input)
  }
}
