import { type Guard, applyGuards } from '../access/guard.ts'
import type { Codec } from '../tool/codec.ts'
import { isJsonArray, type JsonObject } from '../tool/json.ts'
import type { Signal } from '../tool/platform.ts'
import { type ParseResult, parseFailure } from '../tool/problem.ts'
import type { Implementation } from '../tool/tool.ts'
import type { ImportRefusal } from './import.ts'
import type { DefinitionSubmission } from './submission.ts'

export interface PluginOptions extends Guard {
  readonly toolkit: string
  readonly version: string
  readonly allowed_hosts: readonly string[]
  readonly config: Readonly<Record<string, string>>
}

export interface PluginReader {
  /** Meters a plugin so that it stops, has it describe itself without network or secrets, and stores both versions. */
  read(
    bytes: Uint8Array<ArrayBuffer>,
    options: PluginOptions,
    signal: Signal,
  ): Promise<
    | { readonly ok: true; readonly described: string; readonly createImplementation: (tool: string) => Implementation }
    | ImportRefusal
  >
  store(bytes: Uint8Array<ArrayBuffer>, hash: string): Promise<string | undefined>
}

const MAX_TOOLS = 256
const MAX_WARNINGS = 20

/** Makes each document a ListToolsResult with only its tool, so that no record is larger than its tool. */
export function pluginSubmission(
  description: JsonObject,
  createImplementation: (tool: string) => Implementation,
  { toolkit, version, security_level: securityLevel, approval, config }: PluginOptions,
  codec: Codec,
): ParseResult<DefinitionSubmission> {
  const tools = isJsonArray(description.tools) ? description.tools : []
  if (tools.length > MAX_TOOLS) return parseFailure(`Must be at most ${MAX_TOOLS} tools, got ${tools.length}`, '/tools')
  const decodedPlugin = codec.decode(description, { toolkit, version })
  if (!decodedPlugin.ok) return decodedPlugin
  const { definitions, sourceNames = [], warnings } = decodedPlugin.value
  const secretIds = [...new Set(Object.values(config))].map((id) => ({ id }))
  const overrides = {
    requirements: { authorization: [], secrets: secretIds, user_id: false },
    ...(securityLevel === undefined ? {} : { securityLevel }),
  }
  return {
    ok: true,
    value: {
      kind: 'definitions',
      tools: definitions.map((definition, index) => {
        const sourceName = sourceNames[index] ?? definition.tool
        return {
          definition: applyGuards({ ...definition, ...overrides }, approval ? [{ approval }] : []),
          sourceName,
          implementation: createImplementation(sourceName),
          dialect: codec.dialect,
          document: { tools: tools.slice(index, index + 1) },
          schemaPaths: { input: `/tools/${index}/inputSchema`, output: `/tools/${index}`, name: sourceName },
        }
      }),
      warnings: warnings.slice(0, MAX_WARNINGS),
      ...(securityLevel === undefined && !approval ? {} : { isGuarded: true }),
    },
  }
}
