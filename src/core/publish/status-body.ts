import { isObject } from '../tool/json.ts'
import { transform, map, object, enumReader, optional, toJsonSchema, withSchema, string } from '../tool/json-reader.ts'
import { type Reader, type ReadContext, stringMatching, INVALID_VALUE, addProblem } from '../tool/json-reader.ts'
import { parseToolId } from '../tool/tool-id.ts'
import { SETTABLE_STATES, type ToolStatus } from '../tool/version.ts'

const STATE = enumReader(SETTABLE_STATES)
const DETAILS = {
  message: optional(string({ max: 1_000 })),
  successor: optional(stringMatching('a tool id', (id) => parseToolId(id) !== undefined)),
}
type Details = Omit<Extract<ToolStatus, { state: 'deprecated' }>, 'state'>

const STATUS_WITH_DETAILS = transform(object({ status: STATE, ...DETAILS }), ({ status, ...details }, report) =>
  toStatus(status, details, report),
)
const STATE_OBJECT = transform(object({ state: STATE, ...DETAILS }), ({ state, ...details }, report) =>
  toStatus(state, details, report),
)
const STATE_KEYED_OBJECT = transform(map(object(DETAILS), 1), (states, report) => {
  const [[key, details] = ['', {}]] = Object.entries(states)
  const state = STATE(key, report)
  return state === INVALID_VALUE ? INVALID_VALUE : toStatus(state, details, report)
})
const STATUS_BODY: Reader<ToolStatus> = (body, report) => {
  if (!isObject(body) || !isObject(body.status)) return STATUS_WITH_DETAILS(body, report)
  const fields = object({ status: 'state' in body.status ? STATE_OBJECT : STATE_KEYED_OBJECT })(body, report)
  return fields === INVALID_VALUE ? INVALID_VALUE : fields.status
}

/** Reads `{"status": …}`: a state with details in other fields, an object with `state`, or one with the state as its key. */
export function statusReader<T extends object>(
  otherReader: Reader<T>,
  names: readonly string[],
): Reader<T & { readonly status?: ToolStatus }> {
  const schema = () => {
    const properties = {
      ...Object(toJsonSchema(STATUS_WITH_DETAILS).properties),
      ...Object(toJsonSchema(otherReader).properties),
    }
    const status = { anyOf: [STATE, STATE_OBJECT, map(object(DETAILS), 1)].map(toJsonSchema) }
    return { type: 'object', properties: { ...properties, status }, additionalProperties: false, minProperties: 1 }
  }
  return withSchema(schema, (body, report) => {
    const fields = isObject(body) ? Object.entries(body) : []
    const otherFields = Object.fromEntries(fields.filter(([name]) => names.includes(name)))
    const statusFields = Object.fromEntries(fields.filter(([name]) => !names.includes(name)))
    const otherValues = otherReader(otherFields, report)
    const isWithoutStatus = Object.keys(otherFields).length > 0 && Object.keys(statusFields).length === 0
    if (otherValues === INVALID_VALUE || isWithoutStatus) return otherValues
    const status = STATUS_BODY(isObject(body) ? statusFields : body, report)
    return status === INVALID_VALUE ? INVALID_VALUE : { ...otherValues, status }
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
