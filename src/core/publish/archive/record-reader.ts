import { guardFields } from '../../access/guard.ts'
import { inputSchema, namePart, requirementId, version } from '../../tool/definition-fields.ts'
import { isJsonObject, isTexts } from '../../tool/json.ts'
import { anyObject, anything, boolean, integer, into, list, object, optional } from '../../tool/json-reader.ts'
import { parsed, type Reader, string, strings, text, WRONG, wrong } from '../../tool/json-reader.ts'
import { formatToolId, isNamePart } from '../../tool/tool-id.ts'
import type { Implementation, JsonSchema, ToolRecord } from '../../tool/tool.ts'

const HASH = text('a SHA-256 in lower-case hex', /^[0-9a-f]{64}$/)
const OUTPUT: Reader<JsonSchema | null> = parsed('a JSON Schema, or null', (value) =>
  value === null || typeof value === 'boolean' || isJsonObject(value) ? value : undefined,
)
const IMPLEMENTATION: Reader<Implementation> = into(anyObject, ({ kind, ...rest }, report) =>
  typeof kind === 'string' ? { kind, ...rest } : wrong(report, 'Is required', '/kind'),
)
const TAGS = parsed('texts', (value) => (isTexts(value) ? value : undefined))

const FIELDS: Reader<ToolRecord> = object(
  {
    id: string({ most: 200 }),
    toolkit: namePart,
    tool: namePart,
    version,
    name: text('a name of 1 to 64 of A-Z, a-z, 0-9, _ and -', isNamePart),
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
      { dialect: text('a name', /^[a-z0-9-]{1,64}$/), document: anything, hash: optional(HASH) },
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
export const toolRecord: Reader<ToolRecord> = (value, report) => {
  const read = FIELDS(value, report)
  return isAsRead(value, read) ? value : WRONG
}

function isAsRead(_: unknown, read: ToolRecord | typeof WRONG): _ is ToolRecord {
  return read !== WRONG
}
