import type { Codec, Encoded, Given, Loss } from '../../core/tool/codec.ts'
import { isJsonObject, isList, isObject, type Json, type JsonObject } from '../../core/tool/json.ts'
import { pointerStep, type Problem } from '../../core/tool/problem.ts'
import { isNamePart } from '../../core/tool/tool-id.ts'
import { type Definition, NO_REQUIREMENTS, type ToolRecord } from '../../core/tool/tool.ts'

const FIELDS = ['name', 'description', 'inputSchema']
const NAME_PART = 'Must be 1 to 64 of the characters A-Z, a-z, 0-9, _ and -'

/**
 * What a plugin's `describe` gives: a ListToolsResult, `{tools: [{name, description, inputSchema}]}`. All its tools are of
 * one toolkit and version, which the document does not say and the publisher must. Fields the schema does not name are kept
 * in the document and mean nothing: plugins in use have some.
 */
export const plugin: Codec = {
  dialect: 'plugin',
  references: 'local',
  recognises,
  decode,
  encode(record) {
    const { source } = record
    if (source.dialect === plugin.dialect) return { document: source.document, losses: [] }
    return { document: { tools: [toolDescription(record, record.name)] }, losses: losses(record) }
  },
}

/** A list whose tools have fields of their own beyond the schema's is rather one of the Model Context Protocol. */
function recognises(document: unknown): boolean {
  if (!isObject(document) || !('tools' in document)) return false
  const { tools } = document
  if (!Array.isArray(tools)) return true
  const list: readonly unknown[] = tools
  return list.every((tool) => !isObject(tool) || Object.keys(tool).every((key) => FIELDS.includes(key)))
}

/** A ToolDescription of a tool under the name it is called by. */
export function toolDescription({ description, input }: ToolRecord, name: string): JsonObject {
  return { name, description, inputSchema: input }
}

function decode(document: Json, given: Given): ReturnType<Codec['decode']> {
  if (!isJsonObject(document)) return { ok: false, problems: [{ path: '', message: 'Must be an object' }] }
  const problems: Problem[] = []
  const warnings: Problem[] = []
  const wrong = (path: string, message: string) => problems.push({ path, message })
  const { toolkit, version } = given
  for (const [field, value] of Object.entries({ toolkit, version })) {
    if (value !== undefined) continue
    wrong(`/${field}`, `Is required, and the dialect does not say it: publish {"definition", "toolkit", "version"}`)
  }
  ignoreUnknown(document, ['tools'], '', warnings)
  const { tools } = document
  const read: { readonly name: string; readonly description: string; readonly inputSchema: JsonObject }[] = []
  if (!isList(tools) || tools.length === 0) wrong('/tools', 'Must be an array of one or more tools')
  else {
    const places = new Map<string, number>()
    for (const [index, tool] of tools.entries()) {
      const path = `/tools/${index}`
      if (!isJsonObject(tool)) {
        wrong(path, 'Must be an object')
        continue
      }
      ignoreUnknown(tool, FIELDS, path, warnings)
      for (const field of FIELDS) if (tool[field] === undefined) wrong(`${path}/${field}`, 'Is required')
      const { name, description, inputSchema } = tool
      if (name !== undefined && (typeof name !== 'string' || !isNamePart(name))) wrong(`${path}/name`, NAME_PART)
      if (description !== undefined && typeof description !== 'string') {
        wrong(`${path}/description`, 'Must be a string')
      }
      if (inputSchema !== undefined && !isJsonObject(inputSchema)) {
        wrong(`${path}/inputSchema`, 'Must be a JSON Schema object')
      } else if (inputSchema?.type !== undefined && inputSchema.type !== 'object') {
        wrong(`${path}/inputSchema/type`, "Must be 'object': a tool's arguments have names")
      }
      if (typeof name !== 'string') continue
      const before = places.get(name.toLowerCase())
      if (before === undefined) places.set(name.toLowerCase(), index)
      else wrong(`${path}/name`, `Must be unique ignoring case, and /tools/${before} has it already`)
      if (typeof description === 'string' && isJsonObject(inputSchema)) read.push({ name, description, inputSchema })
    }
  }
  if (problems.length > 0 || toolkit === undefined || version === undefined) return { ok: false, problems }
  const definitions = read.map(({ name, description, inputSchema }): Definition => ({
    toolkit,
    tool: name,
    version,
    name,
    description,
    input: inputSchema,
    output: {},
    requirements: NO_REQUIREMENTS,
    tags: [],
  }))
  const schemas = read.map(({ inputSchema }, index) => ({ path: `/tools/${index}/inputSchema`, schema: inputSchema }))
  return { ok: true, value: { definitions, schemas, warnings } }
}

/** Everything of a record of another dialect that a ToolDescription cannot say. */
function losses(record: ToolRecord): Encoded['losses'] {
  const lost: Loss[] = []
  const lose = (path: string, reason = 'A ToolDescription has no such field') => lost.push({ path, reason })
  lose('/toolkit', 'It is given beside the definition')
  lose('/version', 'It is given beside the definition')
  const { tool, name, output, requirements } = record
  if (tool !== name) lose('/tool', `A tool is called after its name, '${name}'`)
  for (const field of ['title', 'annotations', 'icons', '_meta', 'metadata', 'examples'] as const) {
    if (record[field] !== undefined) lose(`/${field}`)
  }
  if (record.tags.length > 0) lose('/tags')
  if (output === null || output === false || Object.keys(output).length > 0) lose('/output')
  if (requirements.authorization.length > 0) lose('/requirements/authorization')
  if (requirements.secrets.length > 0) lose('/requirements/secrets')
  if (requirements.user_id) lose('/requirements/user_id')
  if (record.securityLevel !== 0) lose('/securityLevel')
  return lost
}

function ignoreUnknown(object: JsonObject, known: readonly string[], path: string, warnings: Problem[]): void {
  for (const key of Object.keys(object)) {
    if (known.includes(key)) continue
    warnings.push({ path: path + pointerStep(key), message: `Is ignored: the plugin schema has ${known.join(', ')}` })
  }
}
