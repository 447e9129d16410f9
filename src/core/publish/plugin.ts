import { guarded } from '../access/guard.ts'
import type { Codec } from '../tool/codec.ts'
import { isJsonObject, isList, type Json, type JsonObject } from '../tool/json.ts'
import type { Signal } from '../tool/platform.ts'
import { type Checked, refused } from '../tool/problem.ts'
import type { Implementation } from '../tool/tool.ts'
import type { Refused } from './source-refusal.ts'
import type { DefinedSubmission } from './submission.ts'

/** What the uploader of a plugin says beside its bytes. */
export interface PluginOptions {
  readonly toolkit: string
  readonly version: string
  /** `host` or `host:port`. */
  readonly allowedHosts: readonly string[]
  /** Which secret each key of the plugin's configuration is. */
  readonly config: Readonly<Record<string, string>>
  /** What it is, in place of what follows from the configuration. */
  readonly securityLevel?: number
  readonly approval?: true
  readonly allowBreaking: boolean
}

/** Takes plugins in: what they are allowed to be, and what they say of themselves. */
export interface PluginReader {
  /**
   * Judges a plugin's bytes, makes of them a plugin that stops by itself, has that describe itself without a network or
   * configuration (`described` is its answer), and keeps both. The failure says what is wrong with the plugin.
   */
  read(
    bytes: Uint8Array<ArrayBuffer>,
    options: PluginOptions,
    signal: Signal,
  ): Promise<
    | { readonly ok: true; readonly described: string; readonly implementationOf: (tool: string) => Implementation }
    | Refused
  >
  /** Keeps a plugin that was uploaded elsewhere, made to stop by itself anew; gives why it is not kept. */
  keep(bytes: Uint8Array<ArrayBuffer>, hash: string): Promise<string | undefined>
}

/** The most tools that one plugin may describe. */
const MAX_TOOLS = 256
const MAX_WARNINGS = 20

/** What the plugin calls a tool, which need not be its name here. */
function calledBy(tool: Json | undefined): string | undefined {
  return isJsonObject(tool) && typeof tool.name === 'string' ? tool.name : undefined
}

/**
 * Makes what a plugin describes into one submission of all its tools. Each tool's document is a ListToolsResult of that
 * tool alone, so that a record is no larger than its tool. Paths of problems start at what the plugin described.
 */
export function pluginSubmission(
  described: JsonObject,
  implementationOf: (tool: string) => Implementation,
  { toolkit, version, securityLevel, approval, config }: PluginOptions,
  codec: Codec,
): Checked<DefinedSubmission> {
  const tools = isList(described.tools) ? described.tools : []
  if (tools.length > MAX_TOOLS) return refused(`Must be at most ${MAX_TOOLS} tools, got ${tools.length}`, '/tools')
  const decoded = codec.decode(described, { toolkit, version })
  if (!decoded.ok) return decoded
  const { definitions, warnings } = decoded.value
  const secrets = [...new Set(Object.values(config))].map((id) => ({ id }))
  const beside = {
    requirements: { authorization: [], secrets, user_id: false },
    ...(securityLevel === undefined ? {} : { securityLevel }),
  }
  return {
    ok: true,
    value: {
      tools: definitions.map((definition, index) => ({
        definition: guarded({ ...definition, ...beside }, approval ? [{ approval }] : []),
        implementation: implementationOf(calledBy(tools[index]) ?? definition.tool),
        dialect: codec.dialect,
        document: { tools: tools.slice(index, index + 1) },
        schemaPaths: { input: `/tools/${index}/inputSchema`, output: `/tools/${index}` },
      })),
      warnings: warnings.slice(0, MAX_WARNINGS),
      ...(securityLevel === undefined && !approval ? {} : { isGuarded: true }),
    },
  }
}
