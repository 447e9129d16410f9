/**
 * Toolsets: named selections of tools, with the names, texts and arguments that a model sees. A key's or an agent's toolset
 * is a right that limits what the holder may see and call. A toolset in a URL is only a view, which the caller may omit.
 */
import { isJson } from '../tool/json.ts'
import * as json from '../tool/json-reader.ts'
import type { WaitUntil } from '../tool/platform.ts'
import type { Precondition, PutResult, RemoveResult } from '../tool/precondition.ts'
import { isNamePart, isToolPattern, toolKey, parseToolId } from '../tool/tool-id.ts'
import { isVersionRange } from '../tool/version.ts'
import { literalTrue } from './guard.ts'
import { lockHash } from './toolset-name.ts'

export const MAX_TOOLSETS = 200
/** The limit per owner who is not an administrator. */
export const MAX_OWN_TOOLSETS = 50
export const MAX_TOOLSET_BYTES = 500_000

const MAX_ENTRIES = 500
const MAX_ARGUMENTS = 50
const MAX_TEXT = 10_000

const anyValue = json.typeGuard('a JSON value', isJson)
const ARGUMENT = json.object(
  {
    value: json.optional(
      json.withSchemaDescription('The server sends this value: no caller can set another', anyValue),
    ),
    hidden: json.optional(json.withSchemaDescription('Nobody can set it', literalTrue)),
  },
  {
    rule(_, report, source) {
      if (Object.keys(source).length !== 1) json.addProblem(report, "Must have either 'value' or 'hidden'")
    },
  },
)

const ENTRY = json.object(
  {
    tool: json.withSchemaDescription(
      "A tool, such as 'Gmail.GetEmails', or a pattern, such as 'Gmail.*'",
      json.stringMatching("a tool or a pattern such as 'Gmail.GetEmails' or 'Gmail.*'", isToolPattern),
    ),
    version: json.optional(
      json.withSchemaDescription(
        "A version or a range, such as '^1.2'; by default the newest",
        json.stringMatching("a version or a range such as '1.2.0' or '^1.2'", isVersionRange, 128),
      ),
    ),
    name: json.optional(
      json.withSchemaDescription(
        'Its name here, in place of its name in its toolkit',
        json.stringMatching('a name', isNamePart),
      ),
    ),
    title: json.optional(json.string({ min: 1, max: 200 })),
    description: json.optional(json.string({ min: 1, max: MAX_TEXT })),
    arguments: json.optional(json.map(ARGUMENT, MAX_ARGUMENTS)),
  },
  {
    rule({ tool = '', name, title, description, arguments: fixed }, report) {
      const isChanged = [name, title, description, fixed].some((change) => change !== undefined)
      if (isChanged && tool.includes('*'))
        json.addProblem(report, 'Must name one tool to give it a name, a text or arguments', '/tool')
    },
  },
)

export type ToolsetEntry = json.InferOutput<typeof ENTRY>

export const toolsetReader = json.object(
  {
    title: json.optional(json.string({ min: 1, max: 200 })),
    description: json.optional(json.string({ max: MAX_TEXT })),
    instructions: json.optional(
      json.withSchemaDescription('For models, which get it when they connect', json.string({ max: MAX_TEXT })),
    ),
    enabled: json.optional(json.withSchemaDescription('While false, nobody can use it', json.boolean, true), true),
    tools: json.array(ENTRY, { max: MAX_ENTRIES }),
    pinned: json.optional(
      json.withSchemaDescription(
        'Tools listed beside the three of mode=search',
        json.array(
          json.stringMatching("a tool such as 'Gmail.GetEmails'", (text) => parseToolId(text) !== undefined),
          { max: 50 },
        ),
      ),
    ),
    max_tokens: json.optional(
      json.withSchemaDescription(
        'A change to a toolset that costs a model more waits for approval',
        json.integer(1, 10_000_000),
      ),
    ),
    review: json.optional(json.withSchemaDescription('Changes wait for approval', literalTrue)),
    lock: json.optional(json.withSchemaDescription('The hash of a lock', lockHash)),
  },
  {
    rule({ tools = [] }, report) {
      const takenKeys = new Set<string>()
      for (const [index, { tool, name }] of tools.entries()) {
        const [toolkit = ''] = tool.split('.')
        const keys = new Set([tool.toLowerCase(), ...(name === undefined ? [] : [toolKey({ toolkit, tool: name })])])
        if ([...keys].some((key) => takenKeys.has(key)))
          json.addProblem(report, 'Two entries are of one name', `/tools/${index}`)
        for (const key of keys) takenKeys.add(key)
      }
    },
  },
)

export type ToolsetDefinition = json.InferOutput<typeof toolsetReader>

export interface ToolsetVersion {
  readonly definition: ToolsetDefinition
  /** `sha256:` and hex over the canonical JSON (RFC 8785) of the name and the definition: equal in every deployment. */
  readonly digest: string
  /** ISO 8601 in UTC. */
  readonly changed_at: string
  /** A principal's id. */
  readonly changed_by: string
}

export interface Toolset extends ToolsetVersion {
  readonly name: string
  /** The principal that created it. The owner and administrators may change and approve it. */
  readonly owner: string
  /** Starts at 1. A pending change gets a revision when it is approved. */
  readonly revision: number
  readonly pending?: ToolsetVersion
}

/** Lists omit definitions, since all of them together can be too large for a response. */
export interface ToolsetSummary extends Omit<Toolset, 'definition' | 'pending'> {
  readonly title?: string
  readonly enabled: boolean
  readonly tool_count: number
  readonly pending: boolean
}

export interface ToolsetStore {
  /**
   * Finds the toolset that all isolates share, at most seconds old, and without I/O if it was just read. Throws
   * `UnreachableError` if it cannot be read.
   */
  find(name: string, background?: WaitUntil): Toolset | undefined | Promise<Toolset | undefined>
  /** By name. */
  list(): Promise<readonly ToolsetSummary[]>
  /** Loads the toolset's current state from the registry. */
  load(name: string): Promise<Toolset | undefined>
  /** Finds the owner of a deleted toolset. The name stays theirs, since keys and URLs may still contain it. */
  findFormerOwner(name: string): Promise<string | undefined>
  /** Returns `precondition-failed` if the name has another owner. */
  put(toolset: Toolset, precondition?: Precondition): Promise<PutResult | 'limit-reached'>
  remove(name: string, precondition?: Precondition): Promise<RemoveResult>
}
