import { namePart, tags, version } from '../../tool/definition-fields.ts'
import { isJsonObject, type Json } from '../../tool/json.ts'
import { anyObject, anything, boolean, check, into, map, object, oneOf, optional } from '../../tool/json-reader.ts'
import { integer, type ReadBy, type Reader, string, text } from '../../tool/json-reader.ts'
import { type Checked, quoted, refused } from '../../tool/problem.ts'
import { isNamePart, isToolPattern, parseToolId } from '../../tool/tool-id.ts'
import { STATES, type ToolStatus } from '../../tool/version.ts'
import { MAX_TOOLS } from '../judge.ts'
import { toolRecord } from './record-reader.ts'
import { FORMAT } from './registry-archive.ts'

const PRINCIPAL = string({ least: 1, most: 300 })
const orNull = <T>(reader: Reader<T>): Reader<T | null> => {
  return (value, report) => (value === null ? null : reader(value, report))
}
const NAME = text('a name of 1 to 64 of A-Z, a-z, 0-9, _ and -', isNamePart)
const TOOL = text(
  "a tool such as 'Gmail.Send'",
  (id) => parseToolId(id)?.selector === undefined && parseToolId(id) !== undefined,
)
const SHORT = string({ least: 1, most: 300 })

const STATUS: Reader<ToolStatus> = into(
  object({
    state: oneOf(STATES),
    message: optional(string({ most: 1_000 })),
    successor: optional(string({ most: 300 })),
  }),
  ({ state, message, successor }) => {
    if (state !== 'deprecated') return { state }
    return { state, ...(message === undefined ? {} : { message }), ...(successor === undefined ? {} : { successor }) }
  },
)

const HMAC = optional(string({ most: 200 }))

const LINES = {
  archive: object({
    kind: oneOf(['archive']),
    format: integer(FORMAT, FORMAT),
    switchboard: optional(SHORT),
    at: optional(SHORT),
    toolkit: optional(namePart),
  }),
  toolkit: object({
    kind: oneOf(['toolkit']),
    toolkit: namePart,
    owner: orNull(PRINCIPAL),
    status: optional(STATUS),
    held: optional(boolean, false),
    tags: optional(tags, []),
    review: optional(boolean, false),
  }),
  policy: object({ kind: oneOf(['policy']), pattern: text('a tool pattern', isToolPattern), policy: anyObject }),
  name: object({ kind: oneOf(['name']), name: NAME, tool: TOOL }),
  given: object({ kind: oneOf(['given']), name: NAME, tool: TOOL }),
  document: object({
    kind: oneOf(['document']),
    dialect: text('a name', /^[a-z0-9-]{1,64}$/),
    toolkit: namePart,
    itself: optional(object({ id: SHORT, version })),
    tools: map(namePart, MAX_TOOLS),
    document: anything,
  }),
  blob: object({
    kind: oneOf(['blob']),
    sha256: text('a SHA-256 in lower-case hex', /^[0-9a-f]{64}$/),
    part: integer(0, 100),
    parts: integer(1, 100),
    base64: string(),
  }),
  version: object({
    kind: oneOf(['version']),
    status: STATUS,
    publisher: object({ principal: orNull(PRINCIPAL), trusted: boolean }),
    held: optional(boolean, false),
    unreviewed: optional(boolean, false),
    bundled: optional(boolean, false),
    record: toolRecord,
  }),
  part: object({ kind: oneOf(['part']), hmac: HMAC }),
  end: object({ kind: oneOf(['end']), lines: integer(0, Number.MAX_SAFE_INTEGER), hmac: HMAC }),
} satisfies Record<string, Reader<object>>

type Kind = keyof typeof LINES
export type Line = { readonly [K in Kind]: ReadBy<(typeof LINES)[K]> }[Kind]
export type LineOf<K extends Kind> = Extract<Line, { readonly kind: K }>

const KINDS = Object.keys(LINES)
const isKind = (kind: Json | undefined): kind is Kind => typeof kind === 'string' && Object.hasOwn(LINES, kind)

export function readLine(value: Json): Checked<Line> {
  if (!isJsonObject(value)) return refused('Must be an object')
  if (!isKind(value.kind)) return refused(`Must be one of ${quoted(KINDS)}`, '/kind')
  const reader: Reader<Line> = LINES[value.kind]
  return check(reader, value)
}
