import type { Budget } from '../../core/tool/budget.ts'
import { ok } from '../../core/failure/failure.ts'
import type { Decoded } from '../../core/tool/codec.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/tool/json.ts'
import type { Checked } from '../../core/tool/problem.ts'
import { type ListedDialect, listedByName } from '../../core/tool/remote-dialect.ts'
import { mcp } from './definition.ts'
import { OWN, withoutHeaders } from './tool-document.ts'

/** Listed and called by the official client. */
export const mcpClient: ListedDialect = {
  protocol: 'mcp',
  source: mcp.dialect,
  listed: listedByName,
  decode,
}

function decode(document: JsonObject, own: string, budget: Budget): Checked<Decoded> {
  const { inputSchema, outputSchema, icons, _meta, ...rest } = document
  // From 2026-07-28 on an output may be anything, which no document published here can say
  const output = isJsonObject(outputSchema) && outputSchema.type !== 'object' ? outputSchema : undefined
  const plain: JsonObject = {
    ...rest,
    ...(output || outputSchema === undefined ? {} : { outputSchema }),
    name: own,
    // Of letters that no name here may have, nothing else would be seen
    ...(rest.title === undefined && /[^ -~]/.test(String(rest.name)) ? { title: String(rest.name) } : {}),
    inputSchema: isJsonObject(inputSchema) ? withoutHeaders(inputSchema) : inputSchema,
    ...(_meta === undefined ? {} : { _meta: withoutOwn(_meta) }),
  }
  const decode = (source: JsonObject): Checked<Decoded> => {
    const decoded = mcp.decode(source, { toolkit: 'any', version: '1.0.0' }, budget)
    if (!decoded.ok || !output) return decoded
    const definitions = decoded.value.definitions.map((each) => ({ ...each, output }))
    return ok({ ...decoded.value, definitions })
  }
  const whole = decode(icons === undefined ? plain : { ...plain, icons })
  if (whole.ok || !whole.problems.every(({ path }) => path.startsWith('/icons'))) return whole
  const decoded = decode(plain)
  if (!decoded.ok) return decoded
  const warning = { path: '', message: 'Its icons are left out: they must be https or data URLs' }
  return ok({ ...decoded.value, warnings: [warning, ...decoded.value.warnings] })
}

function withoutOwn(meta: Json): Json {
  if (!isJsonObject(meta)) return meta
  return Object.fromEntries(Object.entries(meta).filter(([key]) => !key.startsWith(OWN)))
}
