import type { PublicationFailure, Report } from '../../core/publish/report.ts'
import { isObject } from '../../core/tool/json.ts'
import type { Problem } from '../../core/tool/problem.ts'
import { formatToolId, parseToolId, type ToolName } from '../../core/tool/tool-id.ts'
import type { ToolStatus } from '../../core/tool/version.ts'

const STATES = ['active', 'deprecated', 'yanked', 'disabled'] as const

/** The status of each result: by its outcome, or by the type of its failure. */
const STATUS = {
  'created': 201,
  'unchanged': 200,
  'forbidden': 403,
  'conflict': 409,
  'definition-invalid': 422,
} as const

/** `{"ids"}`, and what the dialect's specification would have liked better. */
export function encodePublished({ ids, warnings }: Extract<Report, { ok: true }>) {
  return { ids, ...(warnings.length > 0 ? { warnings } : {}) }
}

/** One result of a batch: `{id, status, errors?}`. */
export function encodeResult(report: Report, asked: string | null) {
  const { ids } = report
  return {
    id: ids[0] ?? asked,
    status: STATUS[report.ok ? report.outcome : report.failure.type],
    ...(ids.length > 1 ? { ids } : {}),
    ...(report.ok ? {} : { errors: errorsOf(report.failure) }),
    ...(report.ok && report.warnings.length > 0 ? { warnings: report.warnings } : {}),
  }
}

function errorsOf(failure: PublicationFailure): readonly Problem[] {
  if (failure.type === 'definition-invalid') return failure.problems
  return [{ path: '', message: failure.type === 'conflict' ? failure.message : failure.reason }]
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
