import type { PublicationFailure, Report as PublicationReport } from '../../core/publish/report.ts'
import { isObject } from '../../core/tool/json.ts'
import { check, into, map, object, oneOf, optional, string } from '../../core/tool/json-reader.ts'
import { type Reader, type Report, text, WRONG, wrong } from '../../core/tool/json-reader.ts'
import { type Checked, pointerStep, type Problem } from '../../core/tool/problem.ts'
import { formatToolId, parseToolId, type ToolName } from '../../core/tool/tool-id.ts'
import type { ToolStatus } from '../../core/tool/version.ts'

const STATE = oneOf(['active', 'deprecated', 'yanked', 'disabled'])
const DETAILS = {
  message: optional(string({ most: 1_000 })),
  successor: optional(text('a tool id', (id) => parseToolId(id) !== undefined)),
}
type Details = Omit<Extract<ToolStatus, { state: 'deprecated' }>, 'state'>

const BESIDE = into(object({ status: STATE, ...DETAILS }), ({ status, ...details }, report) =>
  statusOf(status, details, report),
)
const BY_FIELD = into(object({ state: STATE, ...DETAILS }), ({ state, ...details }, report) =>
  statusOf(state, details, report),
)
const BY_KEY = into(map(object(DETAILS), 1), (states, report) => {
  const [[key, details] = ['', {}]] = Object.entries(states)
  const state = STATE(key, report)
  return state === WRONG ? WRONG : statusOf(state, details, report)
})
const STATUS_BODY: Reader<ToolStatus> = (body, report) => {
  if (!isObject(body) || !isObject(body.status)) return BESIDE(body, report)
  const read = object({ status: 'state' in body.status ? BY_FIELD : BY_KEY })(body, report)
  return read === WRONG ? WRONG : read.status
}

/** Reads `?allow=breaking`: a version may then break what semantic versioning promises. */
export const publicationQuery = object({ allow: optional(oneOf(['breaking'])) }, { unknown: 'ignore' })

/** The status of each result: by its outcome, or by the type of its failure. */
const STATUS = {
  'created': 201,
  'unchanged': 200,
  'forbidden': 403,
  'conflict': 409,
  'definition-invalid': 422,
} as const

/** `{"ids"}`, the tools that a document has no longer, and what is worth knowing. */
export function encodePublished({ ids, warnings, leftOut }: Extract<PublicationReport, { ok: true }>) {
  return { ids, ...(leftOut ? { left_out: leftOut } : {}), ...(warnings.length > 0 ? { warnings } : {}) }
}

/** One result of a batch: `{id, status, errors?}`. */
export function encodeResult(report: PublicationReport, asked: string | null) {
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
 * with `state`, or with the state as its only key.
 */
export function decodeStatus(body: unknown): Checked<ToolStatus> {
  return check(STATUS_BODY, body)
}

function statusOf(state: ToolStatus['state'], details: Details, report: Report): ToolStatus | typeof WRONG {
  if (state === 'deprecated') return { state, ...details }
  const [field] = Object.keys(details)
  return field === undefined ? { state } : wrong(report, "Must not be said but of 'deprecated'", pointerStep(field))
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
