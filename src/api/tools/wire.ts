import type { Failure } from '../../core/call/failure.ts'
import { isObject } from '../../core/tool/json.ts'
import type { Problem } from '../../core/tool/problem.ts'
import type { Published } from '../../core/publish/registry.ts'
import { formatToolId, parseToolId, type ToolName } from '../../core/tool/tool-id.ts'
import type { ToolStatus } from '../../core/tool/version.ts'

const STATES = ['active', 'deprecated', 'yanked', 'disabled'] as const

/** What became of one document: as an answer of its own, and as one of a batch's results. */
export interface Answer {
  readonly status: 200 | 201 | 403 | 409 | 422
  readonly ids: readonly string[]
  readonly failure?: Failure
  readonly warnings?: readonly Problem[]
}

export function answerOf(published: Published, warnings: readonly Problem[]): Answer {
  const { ids } = published
  switch (published.outcome) {
    case 'created':
      return { status: 201, ids, warnings }
    case 'unchanged':
      return { status: 200, ids, warnings }
    case 'conflict':
      return { status: 409, ids, failure: { type: 'conflict', message: published.message } }
    case 'refused':
      return { status: 422, ids, failure: { type: 'definition-invalid', problems: published.problems } }
  }
}

/** `{"ids"}`, and what the dialect's specification would have liked better. */
export function encodeAnswer({ ids, warnings = [] }: Answer) {
  return { ids, ...(warnings.length > 0 ? { warnings } : {}) }
}

/** One result of a batch: `{id, status, errors?}`. */
export function encodeResult({ status, ids, failure, warnings = [] }: Answer, asked: string | null) {
  const errors = failure && errorsOf(failure)
  return {
    id: ids[0] ?? asked,
    status,
    ...(ids.length > 1 ? { ids } : {}),
    ...(errors ? { errors } : {}),
    ...(warnings.length > 0 ? { warnings } : {}),
  }
}

function errorsOf(failure: Failure): readonly Problem[] {
  if (failure.type === 'definition-invalid') return failure.problems
  if (failure.type === 'conflict') return [{ path: '', message: failure.message }]
  return failure.type === 'forbidden' ? [{ path: '', message: failure.reason }] : []
}

/** The id a document of a batch says it has, to name it by when it cannot be read. */
export function askedId(document: unknown): string | null {
  const definition = isObject(document) && 'definition' in document ? document.definition : document
  return isObject(definition) && typeof definition.id === 'string' ? definition.id.slice(0, 300) : null
}

/**
 * Reads `{"status": …}`: a state (`"yanked"`), with `message` and `successor` beside it for `"deprecated"`, or an object
 * with `state`, or with the state as its only key. Gives what is wrong with it as text.
 */
export function decodeStatus(body: unknown): ToolStatus | string {
  if (!isObject(body)) return 'The body must be an object'
  const { status, ...beside } = body
  if (typeof status === 'string') return statusOf(status, beside)
  if (!isObject(status)) return `'status' must be one of ${STATES.join(', ')}`
  const [extra] = Object.keys(beside)
  if (extra !== undefined) return `Unknown field '${extra.slice(0, 50)}'`
  if (typeof status.state === 'string') {
    const { state, ...details } = status
    return statusOf(state, details)
  }
  const [[state, details] = ['', {}], ...more] = Object.entries(status)
  return more.length > 0 || !isObject(details) ? "'status' must hold one state" : statusOf(state, details)
}

function statusOf(state: string, details: Readonly<Record<string, unknown>>): ToolStatus | string {
  const { message, successor, ...unknown } = details
  const [extra] = Object.keys(unknown)
  if (extra !== undefined) return `Unknown field '${extra}'`
  if (state === 'deprecated') {
    if (message !== undefined && (typeof message !== 'string' || message.length > 1_000)) {
      return "'message' must be a string of at most 1,000 characters"
    }
    if (successor !== undefined && (typeof successor !== 'string' || !parseToolId(successor))) {
      return "'successor' must be a tool id"
    }
    return { state, ...(message === undefined ? {} : { message }), ...(successor === undefined ? {} : { successor }) }
  }
  if (state !== 'active' && state !== 'yanked' && state !== 'disabled') {
    return `'status' must be one of ${STATES.join(', ')}, got '${state.slice(0, 50)}'`
  }
  if (message !== undefined || successor !== undefined) return "'message' and 'successor' belong to 'deprecated'"
  return { state }
}

export function encodeStatus(name: ToolName, version: string, status: ToolStatus) {
  const { state, ...details } = status
  return { id: formatToolId(name, version), status: state, ...details }
}

/** A status that is not active, and what succeeds the tool (RFC 8288, RFC 5829). */
export function statusHeaders(status: ToolStatus): Record<string, string> {
  if (status.state === 'active') return {}
  const successor = status.state === 'deprecated' ? status.successor : undefined
  return {
    'switchboard-status': status.state,
    ...(successor === undefined ? {} : { link: `</tools/${encodeURIComponent(successor)}>; rel="successor-version"` }),
  }
}
