import type { Codec, Decoded, Given } from '../../core/tool/codec.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/tool/json.ts'
import { withSuffix } from '../../core/tool/name-suffix.ts'
import { type Problem, pointerStep } from '../../core/tool/problem.ts'
import { everySubschema } from '../../core/schema/subschemas.ts'
import { isNamePart } from '../../core/tool/tool-id.ts'
import { type Definition, NO_REQUIREMENTS } from '../../core/tool/tool.ts'
import { checkIcons, checkTexts } from './definition-rules.ts'
import { losses, sourceOf, toolOf } from './tool-document.ts'

const FIELDS = [
  'name',
  'title',
  'description',
  'inputSchema',
  'outputSchema',
  'annotations',
  'icons',
  '_meta',
  'execution',
]
/** MCP 2025-11-25 and later, "Tool names". */
const NAME = /^[A-Za-z0-9_.-]{1,128}$/
/** Deeper than publication allows, so that nothing is missed before the bounds are judged. */
const MAX_DEPTH = 200

/**
 * MCP tools: one `Tool` as `tools/list` gives it, or `{"tools": […]}`, which is one toolkit. Toolkit and version are given
 * beside the document. A dot in a name, which ids and some models cannot take, becomes an underscore.
 */
export const mcp: Codec = {
  dialect: 'mcp',
  references: 'local',
  recognises: (document) =>
    isJsonObject(document) &&
    ('inputSchema' in document ||
      (Array.isArray(document.tools) &&
        document.tools.length > 0 &&
        document.tools.every((tool) => isJsonObject(tool) && 'inputSchema' in tool))),
  decode,
  encode(record) {
    const source = sourceOf(record)
    if (source !== undefined) return { document: source, losses: [] }
    return { document: toolOf(record, record.name), losses: losses(record) }
  },
}

function decode(document: Json, { toolkit, version }: Given): ReturnType<Codec['decode']> {
  if (!isJsonObject(document)) return { ok: false, problems: [{ path: '', message: 'Must be an object' }] }
  const problems: Problem[] = []
  if (toolkit === undefined) problems.push(notGiven('toolkit'))
  if (version === undefined) problems.push(notGiven('version'))
  const { tools } = document
  const many = tools !== undefined && document.inputSchema === undefined
  if (many && (!Array.isArray(tools) || tools.length === 0)) {
    return { ok: false, problems: [...problems, { path: '/tools', message: 'Must be a list of at least one tool' }] }
  }
  const listed: readonly Json[] = many && Array.isArray(tools) ? tools : [document]
  const decoded: { readonly definition: Definition; readonly path: string }[] = []
  const warnings: Problem[] = []
  const taken = new Set<string>()
  for (const [index, tool] of listed.entries()) {
    const path = many ? `/tools/${index}` : ''
    const found = checkTool(tool, path, taken)
    problems.push(...found.problems)
    warnings.push(...found.warnings)
    if (found.tool) {
      decoded.push({ path, definition: { ...found.tool, toolkit: toolkit ?? '', version: version ?? '' } })
    }
  }
  if (problems.length > 0) return { ok: false, problems }
  const value: Decoded = {
    definitions: decoded.map(({ definition }) => definition),
    schemas: decoded.flatMap(({ definition: { input, output }, path }) => [
      { path: `${path}/inputSchema`, schema: input },
      ...(output === null ? [] : [{ path: `${path}/outputSchema`, schema: output }]),
    ]),
    warnings,
  }
  return { ok: true, value }
}

interface CheckedTool {
  readonly tool?: Omit<Definition, 'toolkit' | 'version'>
  readonly problems: readonly Problem[]
  readonly warnings: readonly Problem[]
}

/** One Tool; `taken` holds the names of the tools before it, in lower case. */
function checkTool(tool: Json, path: string, taken: Set<string>): CheckedTool {
  const problems: Problem[] = []
  const wrong = (at: string, message: string) => problems.push({ path: `${path}${at}`, message })
  if (!isJsonObject(tool)) return { problems: [{ path, message: 'Must be a tool, which is an object' }], warnings: [] }
  const { name, inputSchema, outputSchema = {}, annotations, icons, _meta, execution } = tool
  if (typeof name !== 'string' || !NAME.test(name)) {
    wrong('/name', 'Must be 1 to 128 of the characters A-Z, a-z, 0-9, _, - and .')
  } else if (taken.has(name.toLowerCase())) wrong('/name', `Must be the only tool '${name}', ignoring case`)
  if (!isJsonObject(inputSchema)) wrong('/inputSchema', 'Must be a JSON Schema, which is an object')
  else if (inputSchema.type !== 'object') wrong('/inputSchema/type', "Must be 'object'")
  if (!isJsonObject(outputSchema)) wrong('/outputSchema', 'Must be a JSON Schema, which is an object')
  if (annotations !== undefined && !isJsonObject(annotations)) wrong('/annotations', 'Must be an object')
  if (_meta !== undefined && !isJsonObject(_meta)) wrong('/_meta', 'Must be an object')
  problems.push(...checkTexts(tool, path), ...checkIcons(icons, path), ...checkHeaders(inputSchema, path))
  if (problems.length > 0 || typeof name !== 'string' || !isJsonObject(inputSchema) || !isJsonObject(outputSchema)) {
    return { problems, warnings: [] }
  }
  const own = nameFor(name, taken)
  taken.add(name.toLowerCase()).add(own.toLowerCase())
  const title = firstText(tool.title, isJsonObject(annotations) ? annotations.title : undefined)
  return {
    problems,
    warnings: warningsOf(tool, path, own, execution),
    tool: {
      tool: own,
      name: own,
      ...(title === undefined ? {} : { title }),
      description: typeof tool.description === 'string' ? tool.description : '',
      input: inputSchema,
      output: outputSchema,
      requirements: NO_REQUIREMENTS,
      ...(isJsonObject(annotations) ? { annotations } : {}),
      ...(icons === undefined ? {} : { icons }),
      ...(isJsonObject(_meta) ? { _meta } : {}),
      tags: [],
    },
  }
}

/** A tool's own name where it may be one of ours; else with underscores for dots, and a stable suffix where it must. */
function nameFor(name: string, taken: ReadonlySet<string>): string {
  const plain = name.replaceAll('.', '_')
  if (isNamePart(plain) && !taken.has(plain.toLowerCase())) return plain
  return withSuffix(plain, name)
}

/** "Display name precedence order is: title, annotations.title, then name"; an empty text counts as none. */
function firstText(...texts: readonly (Json | undefined)[]): string | undefined {
  for (const text of texts) if (typeof text === 'string' && text !== '') return text
  return undefined
}

/** `x-mcp-header` asks the server to check headers against arguments (MCP 2026-07-28), which ours does not. */
function checkHeaders(inputSchema: Json | undefined, path: string): readonly Problem[] {
  const found: Problem[] = []
  for (const { schema, path: at } of everySubschema(inputSchema, MAX_DEPTH)) {
    if (!isJsonObject(schema) || !('x-mcp-header' in schema)) continue
    const message = 'Must be left out: parameters are not read from headers here'
    found.push({ path: `${path}/inputSchema${at}/x-mcp-header`, message })
  }
  return found
}

function warningsOf(tool: JsonObject, path: string, own: string, execution: Json | undefined): readonly Problem[] {
  const warnings: Problem[] = []
  for (const key of Object.keys(tool)) {
    if (FIELDS.includes(key)) continue
    warnings.push({
      path: path + pointerStep(key),
      message: `MCP tools have no field '${key}': it is kept and ignored`,
    })
  }
  if (tool.name !== own) warnings.push({ path: `${path}/name`, message: `It is called '${own}' here` })
  if (tool.description === undefined) {
    warnings.push({ path: `${path}/description`, message: 'Without a description models cannot tell what it is for' })
  }
  if (isJsonObject(execution) && execution.taskSupport === 'required') {
    warnings.push({ path: `${path}/execution/taskSupport`, message: 'It is called without tasks here' })
  }
  return warnings
}

function notGiven(what: 'toolkit' | 'version'): Problem {
  const example = what === 'toolkit' ? 'a toolkit' : 'a version'
  return {
    path: `/${what}`,
    message: `MCP tools have no ${what}: publish as {"definition", "toolkit", "version"} to give it ${example}`,
  }
}
