import { guardFields } from '../../access/guard.ts'
import { inputSchema, namePart, requirementId, tags, toolkitDescription } from '../../tool/definition-fields.ts'
import { version } from '../../tool/definition-fields.ts'
import { isJsonObject, isTexts, type Json } from '../../tool/json.ts'
import { anyObject, anything, boolean, check, integer, into, list, map, nullable } from '../../tool/json-reader.ts'
import { object } from '../../tool/json-reader.ts'
import { oneOf, optional, parsed, type ReadBy, type Reader, type Report, string } from '../../tool/json-reader.ts'
import { strings, text, WRONG, wrong } from '../../tool/json-reader.ts'
import { type Checked, quoted, refused } from '../../tool/problem.ts'
import { formatToolId, isNamePart, isToolPattern, parseToolId } from '../../tool/tool-id.ts'
import type { Implementation, JsonSchema, ToolRecord } from '../../tool/tool.ts'
import { STATES, type ToolStatus } from '../../tool/version.ts'
import { MAX_TOOLS } from '../definition-rules.ts'

export const FORMAT = 2
/** Earlier exports say where a document's id led; it is decided again where they are restored. */
const EARLIER = optional(boolean)

const PRINCIPAL = string({ least: 1, most: 300 })
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
    if (state === 'active' || state === 'pending') return { state }
    const reason = message === undefined ? {} : { message }
    return state === 'deprecated' && successor !== undefined ? { state, ...reason, successor } : { state, ...reason }
  },
)

const HMAC = optional(string({ most: 200 }))

const DIALECT = text('a name', /^[a-z0-9-]{1,64}$/)
const HASH = text('a SHA-256 in lower-case hex', /^[0-9a-f]{64}$/)
const OUTPUT: Reader<JsonSchema | null> = parsed('a JSON Schema, or null', (value) =>
  value === null || typeof value === 'boolean' || isJsonObject(value) ? value : undefined,
)
const IMPLEMENTATION: Reader<Implementation> = into(anyObject, ({ kind, ...rest }, report) =>
  typeof kind === 'string' ? { kind, ...rest } : wrong(report, 'Is required', '/kind'),
)
const TAGS = parsed('texts', (value) => (isTexts(value) ? value : undefined))

const RECORD: Reader<ToolRecord> = object(
  {
    id: string({ most: 200 }),
    toolkit: namePart,
    tool: namePart,
    version,
    name: NAME,
    called: optional(string({ most: 300 })),
    title: optional(string()),
    description: string(),
    input: inputSchema,
    output: OUTPUT,
    requirements: object({
      authorization: list(object({ id: requirementId, oauth2: optional(object({ scopes: strings })) })),
      secrets: list(object({ id: requirementId })),
      user_id: boolean,
    }),
    securityLevel: integer(0, 10),
    requiresApproval: guardFields.approval,
    annotations: optional(anyObject),
    icons: anything,
    _meta: optional(anyObject),
    metadata: optional(anyObject),
    examples: anything,
    tags: TAGS,
    implementation: optional(IMPLEMENTATION),
    source: object(
      { dialect: DIALECT, document: anything, hash: optional(HASH), byToolkit: EARLIER },
      {
        rule({ document, hash }, report) {
          if ((document === undefined) === (hash === undefined)) wrong(report, "Must have a 'document' or a 'hash'")
        },
      },
    ),
    digest: HASH,
  },
  {
    rule({ id, toolkit, tool, version: of }, report) {
      if (id === undefined || toolkit === undefined || tool === undefined || of === undefined) return
      if (formatToolId({ toolkit, tool }, of) !== id)
        wrong(report, `Must be '${formatToolId({ toolkit, tool }, of)}'`, '/id')
    },
  },
)

/** Reads a stored version field by field, so that nothing of another shape is ever stored, and gives it unchanged. */
const toolRecord: Reader<ToolRecord> = (value, report) => (isRecord(value, report) ? value : WRONG)
const isRecord = (value: unknown, report: Report): value is ToolRecord => RECORD(value, report) !== WRONG

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
    owner: nullable(PRINCIPAL),
    status: optional(STATUS),
    held: optional(boolean, false),
    tags: optional(tags, []),
    review: optional(boolean),
    description: optional(toolkitDescription),
  }),
  policy: object({ kind: oneOf(['policy']), pattern: text('a tool pattern', isToolPattern), policy: anyObject }),
  name: object({ kind: oneOf(['name']), name: NAME, tool: TOOL }),
  given: object({ kind: oneOf(['given']), name: NAME, tool: TOOL }),
  document: object({
    kind: oneOf(['document']),
    dialect: DIALECT,
    toolkit: namePart,
    itself: optional(object({ id: SHORT, version })),
    mayHaveName: EARLIER,
    tools: map(namePart, MAX_TOOLS),
    document: anything,
  }),
  blob: object({
    kind: oneOf(['blob']),
    sha256: HASH,
    part: integer(0, 100),
    parts: integer(1, 100),
    base64: text('a string', () => true, Infinity),
  }),
  version: object({
    kind: oneOf(['version']),
    status: STATUS,
    publisher: object({ principal: nullable(PRINCIPAL), trusted: boolean }),
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
