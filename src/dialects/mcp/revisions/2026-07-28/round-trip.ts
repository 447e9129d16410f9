/**
 * The round trips of MCP 2026-07-28 ("multi-round-trip requests"). The server stores nothing:
 * 1. A call fails because the tool asks for input, or because a person has to open a link.
 * 2. The result has `inputRequests`, and a sealed `requestState` if there is something to remember.
 * 3. The client repeats the call with `inputResponses` and that state. The state opens only for the same principal,
 *    user, tool and input. The tool gets the responses of both rounds, except those to our own links.
 * Each link is requested once. After that, the call fails and its error says why.
 */
import type { Failure } from '../../../../core/failure/failure.ts'
import type { Seal } from '../../../../core/call/seal.ts'
import { APPROVAL } from '../../../../core/consent/authorization.ts'
import type { InputRequests } from '../../../../core/tool/content.ts'
import type { JsonObject } from '../../../../core/tool/json.ts'
import { isDeclined, toUrlElicitations } from '../../../../core/call/url-elicitations.ts'
import { hasCapability, URL_ELICITATION } from '../../elicitation.ts'
import { toFailureMeta } from '../../../../core/failure/failure-meta.ts'
import { formatFailure } from '../../failure.ts'
import { toErrorResult, toMcpFailure } from '../../failure-response.ts'
import type { McpRequestContext } from '../../toolset.ts'
import { invalid, type McpError, type McpResult, type McpToolCall, MISSING_CAPABILITY, toResult } from '../../wire.ts'
import type { Revision, RoundTrip } from '../revision.ts'
import { canonicalJson } from '../../../../core/tool/digest.ts'
import { mergeResponses, readState, type RequestState, sealState } from './request-state.ts'
import { toNameRef, toRefKey } from '../../../../core/tool/tool-ref.ts'

type Requests = InputRequests['requests']

interface RequestList {
  readonly kind: 'requests'
  readonly requests: Requests
}

interface RoundDeps {
  readonly seal: Seal
  readonly revision: Revision
  readonly serverMeta: object
}

const FORM_ELICITATION: JsonObject = { elicitation: { form: {} } }

export async function resumeRoundTrip(
  call: McpToolCall,
  context: McpRequestContext,
  deps: RoundDeps,
): Promise<RoundTrip | McpResult> {
  const state = await readState(call, () => toAssociatedData(call, context), deps.seal)
  if (!state.ok) return toMcpFailure(state.failure, deps.revision)
  if (!state.value) return invalid("'requestState' was changed, has expired, or is of another call")
  return createRoundTrip(state.value, call, context, deps)
}

export function createRoundTrip(
  previousState: RequestState,
  call: McpToolCall,
  context: McpRequestContext,
  deps: RoundDeps,
): RoundTrip {
  const { seal, revision, serverMeta } = deps
  const inputResponses = mergeResponses(call, previousState)

  async function toInputRequired(requests: Requests, state: Partial<RequestState>): Promise<McpResult> {
    const sealedState = await sealState(state, toAssociatedData(call, context), seal)
    if (!sealedState.ok) return toMcpFailure(sealedState.failure, revision)
    const requestState = sealedState.value
    return toResult({ resultType: 'input_required', inputRequests: requests, requestState, _meta: serverMeta })
  }

  return {
    kind: 'round-trip',
    inputResponses,
    async requestInput(failure) {
      if (failure.type === 'input-required') {
        const { requests, state } = failure
        const supported = selectSupportedRequests(requests, context.capabilities)
        if (supported === undefined)
          return toErrorResult('The tool asks for something that MCP has no request for', revision)
        if (supported.kind === 'error') return supported
        return toInputRequired(supported.requests, state === undefined ? {} : { state })
      }
      const elicitations = toElicitationRequests(failure, call, context, previousState)
      if (elicitations === undefined) return undefined
      if (elicitations.kind === 'stopped') return toErrorResult(elicitations.message, revision, toFailureMeta(failure))
      const { requests } = elicitations
      // `inputResponses` has the tool's state and its responses, which it gets once the person is done
      return toInputRequired(requests, { ...inputResponses, asked: [...previousState.asked, ...Object.keys(requests)] })
    },
  }
}

/** Selects the requests of kinds that the client declared. */
export function selectDeclared(requests: Requests, capabilities: JsonObject): Requests {
  const isDeclared = (request: Requests[string]) => {
    const required = getRequiredCapabilities(request)
    return required !== undefined && hasCapability(capabilities, required)
  }
  return Object.fromEntries(Object.entries(requests).filter(([, request]) => isDeclared(request)))
}

/** "Servers MUST NOT send an input request of a kind the client did not declare." */
function selectSupportedRequests(requests: Requests, capabilities: JsonObject): RequestList | McpError | undefined {
  const required = Object.values(requests).map(getRequiredCapabilities)
  if (required.includes(undefined)) return undefined
  const supported = selectDeclared(requests, capabilities)
  if (required.length === 0 || Object.keys(supported).length > 0) return { kind: 'requests', requests: supported }
  const requiredCapabilities: JsonObject = Object.assign({}, ...required)
  const message = `The tool needs a client that can be asked for ${Object.keys(requiredCapabilities).join(', ')}`
  return { kind: 'error', code: MISSING_CAPABILITY, message, data: { requiredCapabilities }, status: 400 }
}

/** Each link is requested once: "accept" only means that the page was opened, so requests could repeat forever. */
function toElicitationRequests(
  failure: Failure,
  { inputResponses }: McpToolCall,
  { capabilities }: McpRequestContext,
  { asked }: RequestState,
): RequestList | { readonly kind: 'stopped'; readonly message: string } | undefined {
  const elicitations = toUrlElicitations(failure)
  if (elicitations.length === 0 || !hasCapability(capabilities, URL_ELICITATION)) return undefined
  const declined = elicitations.filter(({ key }) => isDeclined(inputResponses?.[key]))
  if (declined.length > 0) {
    const actions = declined
      .map(({ challenge: { id } }) => (id === APPROVAL ? 'approve this call' : `authorize '${id}'`))
      .join(' and to ')
    const message = `The user declined to ${actions}, which the tool needs before it can be called`
    return { kind: 'stopped', message }
  }
  if (elicitations.some(({ key }) => asked.includes(key) || inputResponses?.[key] !== undefined)) {
    return { kind: 'stopped', message: `The user was asked and is not done yet\n${formatFailure(failure)}` }
  }
  const requests = elicitations.map(({ key, request }) => [key, request] as const)
  return { kind: 'requests', requests: Object.fromEntries(requests) }
}

function getRequiredCapabilities({ method, params }: Requests[string]): JsonObject | undefined {
  if (method === 'elicitation/create') return params.mode === 'url' ? URL_ELICITATION : FORM_ELICITATION
  if (method === 'sampling/createMessage')
    return { sampling: params.tools === undefined && params.toolChoice === undefined ? {} : { tools: {} } }
  return method === 'roots/list' ? { roots: {} } : undefined
}

/** Binds a state to the call and the user, so that it works for no other. */
export function toAssociatedData(
  { name, range, input }: McpToolCall,
  { principal, request }: McpRequestContext,
): string {
  const userId = request.headers.get('x-user-id')
  return JSON.stringify(['mcp', principal.id, userId, toRefKey(toNameRef(name, range)), toCanonicalText(input)])
}

function toCanonicalText(input: JsonObject): string {
  try {
    return canonicalJson(input)
  } catch {
    // A lone surrogate has no canonical form
    return JSON.stringify(input)
  }
}
