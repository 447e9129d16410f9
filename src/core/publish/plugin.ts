import type { Codec } from '../tool/codec.ts'
import type { Refused } from './source-refusal.ts'
import type { Json, JsonObject } from '../tool/json.ts'
import { type Problem, pointerStep } from '../tool/problem.ts'
import { type Prepared, preparePublication, type PublishDeps } from './publish.ts'
import type { Signal } from '../tool/platform.ts'
import type { Implementation, ToolRecord } from '../tool/tool.ts'

/** What the uploader of a plugin says beside its bytes. */
export interface PluginOptions {
  readonly toolkit: string
  readonly version: string
  /** `host` or `host:port`. */
  readonly allowedHosts: readonly string[]
  /** Which secret each key of the plugin's configuration is. */
  readonly config: Readonly<Record<string, string>>
  readonly securityLevel?: number
  readonly allowBreaking: boolean
}

/** Takes plugins in: what they are allowed to be, and what they say of themselves. */
export interface PluginReader {
  /**
   * Judges a plugin's bytes, makes it one that stops by itself, keeps that, and asks it to describe itself, without a
   * network and without configuration: `described` is its answer, as it gave it. What is wrong with the plugin is the
   * failure.
   */
  read(
    bytes: Uint8Array<ArrayBuffer>,
    options: PluginOptions,
    signal: Signal,
  ): Promise<
    | { readonly ok: true; readonly described: string; readonly implementationOf: (tool: string) => Implementation }
    | Refused
  >
}

/** The most tools that one plugin may describe. */
const MAX_TOOLS = 256
const MAX_WARNINGS = 20

/**
 * Makes what a plugin describes into one publication of all its tools. Each tool's document is a ListToolsResult of that
 * tool alone, so that a record is no larger than its tool. Paths of problems start at what the plugin described.
 */
export async function preparePlugin(
  described: JsonObject,
  implementationOf: (tool: string) => Implementation,
  options: PluginOptions,
  codec: Codec,
  deps: PublishDeps,
): Promise<Prepared> {
  const { toolkit, version, securityLevel, allowBreaking } = options
  const given = toolsOf(described).length
  if (given > MAX_TOOLS) {
    return { ok: false, problems: [{ path: '/tools', message: `Must be at most ${MAX_TOOLS} tools, got ${given}` }] }
  }
  const decoded = codec.decode(described, { toolkit, version })
  if (!decoded.ok) return decoded
  const secrets = [...new Set(Object.values(options.config))].map((id) => ({ id }))
  const beside = {
    requirements: { authorization: [], secrets, user_id: false },
    ...(securityLevel === undefined ? {} : { securityLevel }),
  }
  const problems: Problem[] = []
  const records: ToolRecord[] = []
  for (const [index, tool] of toolsOf(described).entries()) {
    const name = decoded.value.definitions[index]?.tool ?? ''
    const body = { definition: { tools: [tool] }, implementation: implementationOf(name), toolkit, version }
    const prepared = await preparePublication(body, { dialect: codec.dialect, allowBreaking, beside }, deps)
    if (prepared.ok) records.push(...prepared.value.publication.records)
    else problems.push(...prepared.problems.map((each) => atTool(index, each)))
  }
  if (problems.length > 0) return { ok: false, problems }
  const publication = { records, given: { implementation: true, tags: false }, allowBreaking }
  return { ok: true, value: { publication, warnings: decoded.value.warnings.slice(0, MAX_WARNINGS) } }
}

function toolsOf({ tools }: JsonObject): readonly Json[] {
  return isList(tools) ? tools : []
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value)
}

function atTool(index: number, { path, message }: Problem): Problem {
  return { path: path.replace('/definition/tools/0', `/tools${pointerStep(index)}`), message }
}
