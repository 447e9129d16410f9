/** Applies an entry of a toolset to a tool's record. */
import { isJsonObject, isStringArray, type JsonObject } from '../tool/json.ts'
import { listContextParameters, omitParameters } from '../tool/metadata.ts'
import { fnv1a, formatToolId, toDerivedName } from '../tool/tool-id.ts'
import type { ToolRecord } from '../tool/tool.ts'
import type { ToolsetEntry } from './toolset.ts'
import { toViewName } from './tool-view.ts'

/** The arguments that a toolset sets or hides. */
export interface FixedArguments {
  readonly names: ReadonlySet<string>
  readonly values: JsonObject
}

export function getFixedArguments({ arguments: changes = {} }: ToolsetEntry): FixedArguments | undefined {
  const names = new Set(Object.keys(changes))
  if (names.size === 0) return undefined
  const values = Object.entries(changes).flatMap(([name, { value }]) => (value === undefined ? [] : [[name, value]]))
  return { names, values: Object.fromEntries(values) }
}

const NO_CHANGES = JSON.stringify({ fixed: {} })

/** Returns the record itself if the entry changes nothing. */
export function toViewRecord(record: ToolRecord, entry: ToolsetEntry | undefined): ToolRecord {
  if (!entry) return record
  const { name, title, description, arguments: fixed = {} } = entry
  const changes = { name, title, description, fixed }
  if (JSON.stringify(changes) === NO_CHANGES) return record
  // Examples may set arguments that are hidden, and the document has the tool's own texts
  const { examples, sourceName, annotations, ...fields } = record
  const viewName = toViewName(fields, entry)
  return {
    ...viewName,
    id: formatToolId(viewName, record.version),
    ...(name === undefined ? {} : { name: toDerivedName(viewName) }),
    ...(name === undefined && sourceName !== undefined ? { sourceName } : {}),
    ...(annotations && { annotations: title === undefined ? annotations : { ...annotations, title } }),
    ...(examples !== undefined && Object.keys(fixed).length === 0 ? { examples } : {}),
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    input: omitParameters(record.input, Object.keys(fixed)),
    source: { dialect: record.source.dialect },
    digest: `${record.digest}.${fnv1a(JSON.stringify(changes))}`,
  }
}

/** Returns why the entry cannot be applied to this version of its tool; undefined if it can. */
export function findEntryProblem(record: ToolRecord, { arguments: changes = {} }: ToolsetEntry): string | undefined {
  const { properties, required } = record.input
  const context = listContextParameters(record)
  for (const [name, { value }] of Object.entries(changes)) {
    if (context.includes(name)) return `The context of a call sets '${name}', which no toolset can set or hide`
    if (!isJsonObject(properties) || !Object.hasOwn(properties, name)) return `'${record.id}' has no argument '${name}'`
    if (value === undefined && isStringArray(required) && required.includes(name))
      return `'${record.id}' requires '${name}', so it cannot be hidden without a value`
  }
  return undefined
}
