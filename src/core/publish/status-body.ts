import { isObject } from '../tool/json.ts'
import { into, map, object, oneOf, optional, schemaOf, stating, string } from '../tool/json-reader.ts'
import { type Reader, type Report, text, WRONG, wrong } from '../tool/json-reader.ts'
import { parseToolId } from '../tool/tool-id.ts'
import { SAID_STATES, type ToolStatus } from '../tool/version.ts'

const STATE = oneOf(SAID_STATES)
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

/** Reads `{"status": …}`: a state with details beside it, an object with `state`, or one with the state as its key. */
export function statusReader<T extends object>(
  beside: Reader<T>,
  names: readonly string[],
): Reader<T & { readonly status?: ToolStatus }> {
  const schema = () => {
    const properties = { ...Object(schemaOf(BESIDE).properties), ...Object(schemaOf(beside).properties) }
    const status = { anyOf: [STATE, BY_FIELD, map(object(DETAILS), 1)].map(schemaOf) }
    return { type: 'object', properties: { ...properties, status }, additionalProperties: false, minProperties: 1 }
  }
  return stating(schema, (body, report) => {
    const fields = isObject(body) ? Object.entries(body) : []
    const own = Object.fromEntries(fields.filter(([name]) => names.includes(name)))
    const rest = Object.fromEntries(fields.filter(([name]) => !names.includes(name)))
    const others = beside(own, report)
    if (others === WRONG || (Object.keys(own).length > 0 && Object.keys(rest).length === 0)) return others
    const status = STATUS_BODY(isObject(body) ? rest : body, report)
    return status === WRONG ? WRONG : { ...others, status }
  })
}

function statusOf(state: (typeof SAID_STATES)[number], details: Details, report: Report): ToolStatus | typeof WRONG {
  if (state === 'deprecated') return { state, ...details }
  const { successor, ...reason } = details
  if (successor !== undefined) return wrong(report, "Is only for the status 'deprecated'", '/successor')
  if (state !== 'active') return { state, ...reason }
  return reason.message === undefined ? { state } : wrong(report, "Is not for the status 'active'", '/message')
}
