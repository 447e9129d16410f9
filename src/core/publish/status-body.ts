import { isObject } from '../tool/json.ts'
import { transform, map, object, enumReader, optional, toJsonSchema, withSchema, string } from '../tool/json-reader.ts'
import { type Reader, type ReadContext, stringMatching, INVALID_VALUE, addProblem } from '../tool/json-reader.ts'
import { parseToolId } from '../tool/tool-id.ts'
import { SETTABLE_STATES, type ToolStatus } from '../tool/version.ts'

const STATE = enumReader(SETTABLE_STATES)
const DETAILS = {
  message: optional(string({ most: 1_000 })),
  successor: optional(stringMatching('a tool id', (id) => parseToolId(id) !== undefined)),
}
type Details = Omit<Extract<ToolStatus, { state: 'deprecated' }>, 'state'>

const BESIDE = transform(object({ status: STATE, ...DETAILS }), ({ status, ...details }, report) =>
  toStatus(status, details, report),
)
const BY_FIELD = transform(object({ state: STATE, ...DETAILS }), ({ state, ...details }, report) =>
  toStatus(state, details, report),
)
const BY_KEY = transform(map(object(DETAILS), 1), (states, report) => {
  const [[key, details] = ['', {}]] = Object.entries(states)
  const state = STATE(key, report)
  return state === INVALID_VALUE ? INVALID_VALUE : toStatus(state, details, report)
})
const STATUS_BODY: Reader<ToolStatus> = (body, report) => {
  if (!isObject(body) || !isObject(body.status)) return BESIDE(body, report)
  const read = object({ status: 'state' in body.status ? BY_FIELD : BY_KEY })(body, report)
  return read === INVALID_VALUE ? INVALID_VALUE : read.status
}

/** Reads `{"status": …}`: a state with details beside it, an object with `state`, or one with the state as its key. */
export function statusReader<T extends object>(
  beside: Reader<T>,
  names: readonly string[],
): Reader<T & { readonly status?: ToolStatus }> {
  const schema = () => {
    const properties = { ...Object(toJsonSchema(BESIDE).properties), ...Object(toJsonSchema(beside).properties) }
    const status = { anyOf: [STATE, BY_FIELD, map(object(DETAILS), 1)].map(toJsonSchema) }
    return { type: 'object', properties: { ...properties, status }, additionalProperties: false, minProperties: 1 }
  }
  return withSchema(schema, (body, report) => {
    const fields = isObject(body) ? Object.entries(body) : []
    const own = Object.fromEntries(fields.filter(([name]) => names.includes(name)))
    const rest = Object.fromEntries(fields.filter(([name]) => !names.includes(name)))
    const others = beside(own, report)
    if (others === INVALID_VALUE || (Object.keys(own).length > 0 && Object.keys(rest).length === 0)) return others
    const status = STATUS_BODY(isObject(body) ? rest : body, report)
    return status === INVALID_VALUE ? INVALID_VALUE : { ...others, status }
  })
}

function toStatus(
  state: (typeof SETTABLE_STATES)[number],
  details: Details,
  report: ReadContext,
): ToolStatus | typeof INVALID_VALUE {
  if (state === 'deprecated') return { state, ...details }
  const { successor, ...reason } = details
  if (successor !== undefined) return addProblem(report, "Is only for the status 'deprecated'", '/successor')
  if (state !== 'active') return { state, ...reason }
  return reason.message === undefined ? { state } : addProblem(report, "Is not for the status 'active'", '/message')
}
