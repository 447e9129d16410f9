import { ok } from '../../core/failure/failure.ts'
import type { DecodeResult } from '../../core/tool/codec.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/tool/json.ts'
import type { ParseResult } from '../../core/tool/problem.ts'
import { type ListedDialect, nameOnlyReader } from '../../core/tool/remote-dialect.ts'
import { mcp } from './definition.ts'
import { OWN_META_PREFIX, dropHeaderExtensions } from './tool-document.ts'

/** Tools are listed and called through the official client. */
export const mcpClient: ListedDialect = {
  protocol: 'mcp',
  source: mcp.dialect,
  nameReader: nameOnlyReader,
  decode,
}

function decode(document: JsonObject, name: string): ParseResult<DecodeResult> {
  const { inputSchema, outputSchema, icons, _meta, ...fields } = document
  // From 2026-07-28 on, an output may have any type, which documents published here cannot express
  const output = isJsonObject(outputSchema) && outputSchema.type !== 'object' ? outputSchema : undefined
  const tool: JsonObject = {
    ...fields,
    ...(output || outputSchema === undefined ? {} : { outputSchema }),
    name,
    // A name with characters that are not allowed here is kept as the title
    ...(fields.title === undefined && /[^ -~]/.test(String(fields.name)) ? { title: String(fields.name) } : {}),
    inputSchema: isJsonObject(inputSchema) ? dropHeaderExtensions(inputSchema) : inputSchema,
    ...(_meta === undefined ? {} : { _meta: omitOwnMeta(_meta) }),
  }
  const decodeTool = (source: JsonObject): ParseResult<DecodeResult> => {
    const decodedTools = mcp.decode(source, { toolkit: 'any', version: '1.0.0' })
    if (!decodedTools.ok || !output) return decodedTools
    const definitions = decodedTools.value.definitions.map((definition) => ({ ...definition, output }))
    return ok({ ...decodedTools.value, definitions })
  }
  const withIcons = decodeTool(icons === undefined ? tool : { ...tool, icons })
  if (withIcons.ok || !withIcons.problems.every(({ path }) => path.startsWith('/icons'))) return withIcons
  const decoded = decodeTool(tool)
  if (!decoded.ok) return decoded
  const warning = { path: '', message: 'Its icons are left out: they must be https or data URLs' }
  return ok({ ...decoded.value, warnings: [warning, ...decoded.value.warnings] })
}

function omitOwnMeta(meta: Json): Json {
  if (!isJsonObject(meta)) return meta
  return Object.fromEntries(Object.entries(meta).filter(([key]) => !key.startsWith(OWN_META_PREFIX)))
}
