import { isJsonObject, type JsonObject } from '../../core/tool/json.ts'
import type { ToolRef } from '../../core/tool/tool-ref.ts'
import type { CallOrigin } from '../../http/route/incoming-call.ts'
import type { Resolver } from '../../core/call/resolve-tool.ts'
import type { McpToolCall } from './wire.ts'

const SELECT_PARAMETER = '_select'
const SELECT_SCHEMA = {
  type: 'string',
  description:
    "Optional. A JMESPath expression: only what it selects of the result comes back, such as 'items[].{id: id, name: name}'.",
}

export function addSelectParameter(tool: JsonObject): JsonObject {
  // The selected part has another schema
  const { outputSchema: _, ...fields } = tool
  const schema = isJsonObject(tool.inputSchema) ? tool.inputSchema : {}
  if (hasSelectProperty(schema)) return tool
  const properties = isJsonObject(schema.properties) ? schema.properties : {}
  return { ...fields, inputSchema: { ...schema, properties: { ...properties, [SELECT_PARAMETER]: SELECT_SCHEMA } } }
}

export async function extractSelect(
  call: McpToolCall,
  toolRef: ToolRef,
  { principal, background }: Pick<CallOrigin, 'principal' | 'background'>,
  resolver: Resolver,
): Promise<McpToolCall> {
  if (!Object.hasOwn(call.input, SELECT_PARAMETER)) return call
  const resolution = await resolver.resolve(toolRef, principal.view, background)
  if (!resolution.ok || hasSelectProperty(resolution.tool.record.input)) return call
  const { [SELECT_PARAMETER]: select, ...input } = call.input
  // Models send null or '' for a parameter that they leave out
  return select === null || select === '' ? { ...call, input } : { ...call, input, select }
}

function hasSelectProperty({ properties }: JsonObject): boolean {
  return isJsonObject(properties) && Object.hasOwn(properties, SELECT_PARAMETER)
}
