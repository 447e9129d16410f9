import { guardFields } from '../../../core/access/guard.ts'
import { IMPORT_KINDS, type ImportKind } from '../../../core/publish/import.ts'
import { namePart, version } from '../../../core/tool/definition-fields.ts'
import type { JsonObject } from '../../../core/tool/json.ts'
import { anyObject, object, type Reader, schemaOf, stating } from '../../../core/tool/json-reader.ts'

const TEXT = { type: 'string' }
const TEXTS = { type: 'array', items: TEXT }
const CALLED = { credentials: {}, timeout_ms: { type: 'integer' } }

/** What importers of each kind read beside the source, the toolkit, the version and the tools. */
const OPTIONS: Readonly<Record<ImportKind, JsonObject>> = {
  openapi: { base_url: TEXT, credentials: { type: 'object' }, outputs: { enum: ['described', 'any'] } },
  mcp: CALLED,
  oxp: { ...CALLED, pass_user: { type: 'boolean' }, upstream_toolkit: TEXT },
}

/** States what an import reads, which is loaded with the first. */
export function importBody(kinds: readonly ImportKind[]): Reader<JsonObject> {
  return stating(() => ({ anyOf: IMPORT_KINDS.filter((kind) => kinds.includes(kind)).map(bodyOf) }), anyObject)
}

function bodyOf(kind: ImportKind): JsonObject {
  const guard = { ...Object(schemaOf(object(guardFields)).properties) }
  const rule = { tools: TEXTS, methods: TEXTS, ...guard }
  return {
    type: 'object',
    properties: {
      from: {
        type: 'object',
        properties: { [kind]: { type: kind === 'openapi' ? ['string', 'object'] : 'string' } },
        required: [kind],
        additionalProperties: false,
      },
      toolkit: schemaOf(namePart),
      version: schemaOf(version),
      tools: TEXTS,
      ...guard,
      rules: { type: 'array', items: { type: 'object', properties: rule, additionalProperties: false } },
      ...OPTIONS[kind],
    },
    required: ['from', 'toolkit'],
    additionalProperties: false,
  }
}
