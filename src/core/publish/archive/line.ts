import { guardFields } from '../../access/guard.ts'
import { lockReader } from '../../access/tool-lock.ts'
import { toolsetName } from '../../access/toolset-name.ts'
import { toolsetReader } from '../../access/toolset.ts'
import { MAX_SKILL_VERSION, SKILL_STATES, skillFilesReader, skillName } from '../../skill/skill.ts'
import { inputSchema, namePart, requirementId, tags, toolkitDescriptionReader } from '../../tool/definition-fields.ts'
import { version } from '../../tool/definition-fields.ts'
import { isJsonObject, isStringArray, type Json } from '../../tool/json.ts'
import {
  anyObject,
  anyJson,
  boolean,
  parseValue,
  integer,
  transform,
  array,
  map,
  nullable,
} from '../../tool/json-reader.ts'
import { object } from '../../tool/json-reader.ts'
import {
  enumReader,
  optional,
  custom,
  type InferOutput,
  type Reader,
  type ReadContext,
  string,
} from '../../tool/json-reader.ts'
import { stringArray, stringMatching, INVALID_VALUE, addProblem } from '../../tool/json-reader.ts'
import { type ParseResult, quoteList, parseFailure } from '../../tool/problem.ts'
import { formatToolId, isNamePart, isOwnName, isToolPattern, MAX_OWN_NAME, parseToolId } from '../../tool/tool-id.ts'
import { type Implementation, type JsonSchema, TASK_SUPPORT, type ToolRecord } from '../../tool/tool.ts'
import { STATUS_ORDER, type ToolStatus } from '../../tool/version.ts'
import { MAX_TOOLS } from '../check-definition.ts'

export const FORMAT = 2
/** Earlier exports state what a document's id resolved to. Restoring them decides this again. */
const LEGACY_FIELD = optional(boolean)

const PRINCIPAL = string({ min: 1, max: 300 })
const NAME = stringMatching('a name of 1 to 64 of A-Z, a-z, 0-9, _ and -', isNamePart)
const OWN_NAME = stringMatching(`a name of 1 to ${MAX_OWN_NAME} characters`, isOwnName)
const TOOL = stringMatching(
  "a tool such as 'Gmail.Send'",
  (id) => parseToolId(id)?.range === undefined && parseToolId(id) !== undefined,
)
const SHORT_TEXT = string({ min: 1, max: 300 })

const STATUS: Reader<ToolStatus> = transform(
  object({
    state: enumReader(STATUS_ORDER),
    message: optional(string({ max: 1_000 })),
    successor: optional(string({ max: 300 })),
    yanked: optional(object({ message: optional(string({ max: 1_000 })) })),
  }),
  ({ state, message, successor, yanked }) => {
    if (state === 'active' || state === 'pending') return { state }
    const reason = message === undefined ? {} : { message }
    if (state === 'disabled') return { state, ...reason, ...(yanked ? { yanked } : {}) }
    return state === 'deprecated' && successor !== undefined ? { state, ...reason, successor } : { state, ...reason }
  },
)

const HMAC = optional(string({ max: 200 }))

const DIALECT = stringMatching('a name', /^[a-z0-9-]{1,64}$/)
const HASH = stringMatching('a SHA-256 in lower-case hex', /^[0-9a-f]{64}$/)
const OUTPUT: Reader<JsonSchema | null> = custom('a JSON Schema, or null', (value) =>
  value === null || typeof value === 'boolean' || isJsonObject(value) ? value : undefined,
)
const IMPLEMENTATION: Reader<Implementation> = transform(anyObject, ({ kind, ...rest }, report) =>
  typeof kind === 'string' ? { kind, ...rest } : addProblem(report, 'Is required', '/kind'),
)
const TAGS = custom('texts', (value) => (isStringArray(value) ? value : undefined))

/** Earlier exports call `sourceName` `called`, and their digests cover that name. */
export interface ArchivedRecord extends ToolRecord {
  readonly called?: string
  readonly source: ToolRecord['source'] & { readonly byToolkit?: boolean }
}

const RECORD: Reader<ArchivedRecord> = object(
  {
    id: string({ max: 200 }),
    toolkit: namePart,
    tool: namePart,
    version,
    name: NAME,
    sourceName: optional(string({ max: 300 })),
    called: optional(string({ max: 300 })),
    title: optional(string()),
    description: string(),
    input: inputSchema,
    output: OUTPUT,
    requirements: object({
      authorization: array(object({ id: requirementId, oauth2: optional(object({ scopes: stringArray })) })),
      secrets: array(object({ id: requirementId })),
      user_id: boolean,
    }),
    securityLevel: integer(0, 10),
    requiresApproval: guardFields.approval,
    annotations: optional(anyObject),
    taskSupport: optional(enumReader(TASK_SUPPORT)),
    icons: anyJson,
    _meta: optional(anyObject),
    metadata: optional(anyObject),
    examples: anyJson,
    tags: TAGS,
    implementation: optional(IMPLEMENTATION),
    source: object(
      { dialect: DIALECT, document: anyJson, hash: optional(HASH), byToolkit: LEGACY_FIELD },
      {
        rule({ document, hash }, report) {
          if ((document === undefined) === (hash === undefined))
            addProblem(report, "Must have a 'document' or a 'hash'")
        },
      },
    ),
    digest: HASH,
  },
  {
    rule({ id, toolkit, tool, version: versionText }, report) {
      if (id === undefined || toolkit === undefined || tool === undefined || versionText === undefined) return
      if (formatToolId({ toolkit, tool }, versionText) !== id)
        addProblem(report, `Must be '${formatToolId({ toolkit, tool }, versionText)}'`, '/id')
    },
  },
)

/** Reads a stored version field by field, so that nothing of another shape is ever stored, and returns it unchanged. */
const toolRecord: Reader<ArchivedRecord> = (value, report) => (isRecord(value, report) ? value : INVALID_VALUE)
const isRecord = (value: unknown, report: ReadContext): value is ArchivedRecord =>
  RECORD(value, report) !== INVALID_VALUE

const TOOLSET_VERSION = { definition: toolsetReader, digest: SHORT_TEXT, changed_at: SHORT_TEXT, changed_by: PRINCIPAL }

const LINES = {
  archive: object({
    kind: enumReader(['archive']),
    format: integer(FORMAT, FORMAT),
    switchboard: optional(SHORT_TEXT),
    at: optional(SHORT_TEXT),
    toolkit: optional(namePart),
  }),
  toolkit: object({
    kind: enumReader(['toolkit']),
    toolkit: namePart,
    owner: nullable(PRINCIPAL),
    status: optional(STATUS),
    held: optional(boolean, false),
    tags: optional(tags, []),
    review: optional(boolean),
    description: optional(toolkitDescriptionReader),
  }),
  policy: object({
    kind: enumReader(['policy']),
    pattern: stringMatching('a tool pattern', isToolPattern),
    policy: anyObject,
  }),
  lock: object({ kind: enumReader(['lock']), lock: lockReader }),
  toolset: object({
    kind: enumReader(['toolset']),
    toolset: object({
      name: toolsetName,
      owner: PRINCIPAL,
      revision: integer(1, Number.MAX_SAFE_INTEGER),
      ...TOOLSET_VERSION,
      pending: optional(object(TOOLSET_VERSION)),
    }),
  }),
  skill: object({
    kind: enumReader(['skill']),
    toolkit: namePart,
    name: skillName,
    version: integer(1, MAX_SKILL_VERSION),
    digest: SHORT_TEXT,
    state: enumReader(SKILL_STATES),
    publisher: nullable(PRINCIPAL),
    held: optional(boolean, false),
    unreviewed: optional(boolean, false),
    files: skillFilesReader,
  }),
  name: object({ kind: enumReader(['name']), name: OWN_NAME, tool: TOOL }),
  given: object({ kind: enumReader(['given']), name: NAME, tool: TOOL }),
  document: object({
    kind: enumReader(['document']),
    dialect: DIALECT,
    toolkit: namePart,
    itself: optional(object({ id: SHORT_TEXT, version })),
    mayClaimId: LEGACY_FIELD,
    tools: map(namePart, MAX_TOOLS),
    document: anyJson,
  }),
  blob: object({
    kind: enumReader(['blob']),
    sha256: HASH,
    part: integer(0, 100),
    parts: integer(1, 100),
    base64: stringMatching('a string', () => true, Infinity),
  }),
  version: object({
    kind: enumReader(['version']),
    status: STATUS,
    publisher: object({ principal: nullable(PRINCIPAL), trusted: boolean }),
    held: optional(boolean, false),
    unreviewed: optional(boolean, false),
    bundled: optional(boolean, false),
    record: toolRecord,
  }),
  part: object({ kind: enumReader(['part']), hmac: HMAC }),
  end: object({ kind: enumReader(['end']), lines: integer(0, Number.MAX_SAFE_INTEGER), hmac: HMAC }),
} satisfies Record<string, Reader<object>>

type Kind = keyof typeof LINES
export type Line = { readonly [K in Kind]: InferOutput<(typeof LINES)[K]> }[Kind]
export type LineByKind<K extends Kind> = Extract<Line, { readonly kind: K }>

const KINDS = Object.keys(LINES)
const isKind = (kind: Json | undefined): kind is Kind => typeof kind === 'string' && Object.hasOwn(LINES, kind)

export function parseArchiveLine(value: Json): ParseResult<Line> {
  if (!isJsonObject(value)) return parseFailure('Must be an object')
  if (!isKind(value.kind)) return parseFailure(`Must be one of ${quoteList(KINDS)}`, '/kind')
  const reader: Reader<Line> = LINES[value.kind]
  return parseValue(reader, value)
}
