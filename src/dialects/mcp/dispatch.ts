/**
 * Runs the operation of a message: a call, a method of MCP itself, or a method of an extension (`extensions/`). Code for rare
 * messages loads with the first such message.
 */
import { findScopeDenial } from '../../core/access/principal.ts'
import type { ToolkitCounts } from '../../core/catalog/catalog.ts'
import type { CheckReadiness } from '../../core/call/readiness.ts'
import { catchUnreachable } from '../../core/failure/failure.ts'
import type { JsonObject } from '../../core/tool/json.ts'
import { listCapabilities, type McpExtension } from './extensions/extension.ts'
import { toMcpError, toMcpFailure } from './failure-response.ts'
import type { Revision } from './revisions/revision.ts'
import { handleToolsCall, type McpExchange, type ToolsCallDeps } from './tools-call.ts'
import { handleToolsList } from './tools-list.ts'
import type { McpRequestContext } from './toolset.ts'
import {
  createMissingExtension,
  declares,
  decodeToolCall,
  type McpError,
  type McpRequest,
  type McpResult,
  type McpToolCall,
  toResult,
} from './wire.ts'

export interface DispatchDeps extends ToolsCallDeps {
  readonly catalog: ToolsCallDeps['catalog'] & ToolkitCounts
  readonly checkReadiness: CheckReadiness
  readonly extensions: readonly McpExtension[]
}

export type McpOperation = McpToolCall | McpError | Pick<McpRequest, 'kind' | 'method' | 'params'>

export function toMcpOperation(request: McpRequest): McpOperation {
  return request.method === 'tools/call' ? decodeToolCall(request.params) : request
}

export function createExchange({ params }: McpRequest, revision: Revision, context: McpRequestContext): McpExchange {
  return { revision, context: { ...context, capabilities: revision.getClientCapabilities(params, context.request) } }
}

export function createDispatch(deps: DispatchDeps) {
  const { catalog, resolver, checkReadiness, extensions } = deps

  async function runMethod(method: string, params: JsonObject, exchange: McpExchange): Promise<McpResult> {
    const { revision, context } = exchange
    if (method === 'tools/list') return handleToolsList(params, revision, context, catalog)
    if (method === revision.discoveryMethod) {
      const { createInstructions } = await import('./instructions.ts')
      const instructions = await createInstructions(context, catalog)
      const tools = revision.isModern ? { listChanged: true } : {}
      return revision.discover(params, { capabilities: { tools, ...listCapabilities(extensions) }, instructions })
    }
    if (method === 'ping' && !revision.isModern) return toResult({})
    for (const { id, methods = {} } of extensions) {
      const run = Object.hasOwn(methods, method) ? methods[method] : undefined
      if (!run || (id !== undefined && !revision.isModern)) continue
      return id === undefined || declares(context.capabilities, id) ? run(params, exchange) : createMissingExtension(id)
    }
    const { pathname: path } = new URL(context.request.url)
    return toMcpFailure({ type: 'route-unknown', method, path }, revision)
  }

  async function callInSearchMode(call: McpToolCall, exchange: McpExchange): Promise<McpResult> {
    const { revision, context } = exchange
    const denied = findScopeDenial(context.principal, 'tools:read')
    if (denied) return toMcpFailure(denied, revision)
    const { callSearchTool } = await import('./search-mode.ts')
    const answer = await callSearchTool({ call, revision, context, catalog, resolver, checkReadiness })
    return answer.kind === 'call' ? handleToolsCall(answer, exchange, deps) : answer
  }

  /** Adds the extension that wraps calls, if the client declares it. Most clients declare none. */
  function addExtension(exchange: McpExchange): McpExchange {
    const { capabilities } = exchange.context
    if (capabilities.extensions === undefined || !exchange.revision.isModern) return exchange
    const extension = extensions.find(
      ({ id, wrapToolCall }) => wrapToolCall && id !== undefined && declares(capabilities, id),
    )
    return { ...exchange, wrapToolCall: extension?.wrapToolCall }
  }

  return function runOperation(operation: McpOperation, exchange: McpExchange): Promise<McpResult> {
    switch (operation.kind) {
      case 'error':
        return Promise.resolve(operation)
      case 'call':
        return exchange.context.toolset.search
          ? answerReached(callInSearchMode(operation, addExtension(exchange)))
          : handleToolsCall(operation, addExtension(exchange), deps)
      case 'request':
        return answerReached(runMethod(operation.method, operation.params, exchange))
    }
  }
}

/** Returns the answer, or an error if storage cannot be reached. */
export async function answerReached<T>(answer: Promise<T>): Promise<T | McpError> {
  const reached = await catchUnreachable(answer)
  return reached.ok ? reached.value : toMcpError(reached.failure)
}
