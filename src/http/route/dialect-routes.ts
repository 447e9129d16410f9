import type { LineFormat } from '../../core/catalogue/catalogue.ts'
import { type Failure, ok } from '../../core/failure/failure.ts'
import type { JsonObject } from '../../core/tool/json.ts'
import type { Reader } from '../../core/tool/json-reader.ts'
import type { Query } from '../request/query.ts'
import { type Answers, listing } from './answers.ts'
import type { RouteContext } from './gate.ts'
import { type IncomingCall, receiveCall } from './incoming-call.ts'
import { afterGate, reading } from './operation.ts'
import { answerToolList, type ToolListDeps, wholeList } from './tool-list.ts'

export interface WholeList {
  readonly format: LineFormat
  readonly join: (lines: readonly string[]) => string
  readonly tooMany: Failure
}

export function dialectRoutes(
  deps: ToolListDeps,
  dialect: string,
  failures: string,
  respond: (failure: Failure) => Response,
) {
  const refuse = afterGate<RouteContext>(deps.gate, (failure) => respond(failure))
  return {
    list<Q extends { readonly toolkit?: string }>(
      summary: string,
      query: Query<Q>,
      schema: JsonObject,
      whole: WholeList,
    ) {
      const { format, join, tooMany } = whole
      const show = (c: RouteContext, { toolkit }: Q) => {
        const tools = wholeList(deps.catalogue, format, join, { toolkit, tooMany })
        return answerToolList(c, deps, () => ok(tools), respond)
      }
      return reading({ summary, scope: 'tools:read', query, answers: listing(schema), failures }, show, refuse)
    },
    call<Q>(
      declared: { summary: string; query: Query<Q>; reader: Reader<unknown>; answer: Answers[number] },
      handle: (incoming: IncomingCall, request: Request, query: Q) => Promise<Response>,
    ) {
      const { summary, query, reader, answer } = declared
      const call = async (c: RouteContext, read: Q) => {
        const incoming = await receiveCall(c, deps.gate, dialect)
        return incoming.ok ? handle(incoming.value, c.req.raw, read) : respond(incoming.failure)
      }
      const body = { reader: () => reader }
      return reading({ summary, scope: 'tools:call', query, body, answers: { 200: answer }, failures }, call, refuse)
    },
  }
}
