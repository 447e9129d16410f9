import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { prepareDocument } from '../core/publish/prepare.ts'
import { createToolRecord } from '../core/tool/digest.ts'
import { computePageDigest, PAGE_TYPE, readPage } from '../core/page/page.ts'
import type { DefinitionDocument } from '../core/publish/registry.ts'
import { checkSchema } from '../core/schema/publishable.ts'
import type { BundledDocument, BundledTool } from '../core/tool/define-tool.ts'
import { isJsonObject, isObject, type Json } from '../core/tool/json.ts'
import { parseValue } from '../core/tool/json-reader.ts'
import { findClosest } from '../core/tool/nearest.ts'
import { parsePointer, type Problem } from '../core/tool/problem.ts'
import { isNamePart, isVersion, type ToolName } from '../core/tool/tool-id.ts'
import { NO_REQUIREMENTS, type ToolRecord } from '../core/tool/tool.ts'
import { machineContext } from '../dialects/machine-context/definition.ts'
import { openToolCalling } from '../dialects/open-tool-calling/definition.ts'
import { oxp } from '../dialects/oxp/definition.ts'
import { allowedHosts } from '../runners/sandbox/credentials.ts'
import { Broken, locateError } from './broken.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

interface DeclaredTool {
  readonly path: string
  readonly record: ToolRecord
  readonly formatBundled: (importName: string) => string
  readonly document?: DefinitionDocument
}

export const hashText = async (text: string) => createHash('sha256').update(text).digest('hex')

const FIELDS: Readonly<Record<keyof BundledTool, true>> = {
  version: true,
  name: true,
  title: true,
  description: true,
  input: true,
  output: true,
  requirements: true,
  securityLevel: true,
  annotations: true,
  taskSupport: true,
  mayGiveArtifact: true,
  isDemo: true,
  hosts: true,
  timeoutMs: true,
  page: true,
  visibility: true,
  tags: true,
  handler: true,
}

async function readFile(folder: string, path: string, name: ToolName): Promise<DeclaredTool[]> {
  const tool = await declaredIn(path)
  if ('document' in tool) return readDocument(path, name.toolkit, tool)
  const { version, description, input, output, title, securityLevel, annotations, taskSupport } = tool
  const { mayGiveArtifact, tags = [] } = tool
  if (!isNamePart(name.toolkit) || !isNamePart(name.tool))
    throw new Broken(`${path}: must be ${folder}/<Toolkit>/<Tool>.ts`)
  if (!isVersion(String(version)))
    throw new Broken(`${path}: version: Must be one such as '1.0.0', got '${String(version)}'`)
  const unknown = Object.keys(tool).find((field) => !Object.hasOwn(FIELDS, field))
  if (unknown !== undefined) {
    const suggestion =
      unknown === 'secrets' || unknown === 'authorization' ? 'requirements' : findClosest(unknown, Object.keys(FIELDS))
    throw new Broken(
      `${path}: Unknown field '${unknown}'${suggestion === undefined ? '' : ` (meant '${suggestion}'?)`}`,
    )
  }
  const definition = {
    ...name,
    version,
    name: tool.name ?? `${name.toolkit}_${name.tool}`,
    ...(title === undefined ? {} : { title }),
    description,
    input,
    output,
    requirements: { ...NO_REQUIREMENTS, ...tool.requirements },
    ...(securityLevel === undefined ? {} : { securityLevel }),
    ...(annotations === undefined ? {} : { annotations }),
    ...(taskSupport === undefined ? {} : { taskSupport }),
    ...(await toUiMeta(tool)),
    ...(mayGiveArtifact ? { metadata: { available_modes: ['artifact'] } } : {}),
    tags,
  }
  const parts = { definition, implementation: { kind: 'bundled' }, dialect: 'bundle', document: null }
  const record = await createToolRecord(parts, hashText)
  const { document } = oxp.encode(record)
  const problems = [input, output ?? {}].flatMap((schema) => checkSchema(schema, { references: oxp.references }))
  // As declared, because a record drops unknown fields
  const requirements: Json = JSON.parse(JSON.stringify(tool.requirements ?? {}))
  const decoded = oxp.decode(isJsonObject(document) ? { ...document, requirements } : document, {})
  const decodeProblems = decoded.ok ? decoded.value.warnings : decoded.problems
  problems.push(...decodeProblems.filter((problem) => !decoded.ok || problem.path.startsWith('/requirements')))
  refuse(path, problems)
  if (record.requirements.authorization.length > 0 && !tool.hosts?.length) {
    console.warn(
      `${path} uses authorization but names no hosts, so its fetch reaches no server: add hosts: ['api.acme.com']`,
    )
  }
  return [
    {
      path,
      record: { ...record, source: { dialect: oxp.dialect, document } },
      formatBundled: (importName) => importName,
    },
  ]
}

async function toUiMeta({ page, visibility }: BundledTool) {
  if (!page && !visibility) return {}
  const read = page && readPage({ contents: [{ mimeType: PAGE_TYPE, text: page.html, _meta: { ui: page } }] })
  const reference = read ? { resourceUri: 'ui://page', digest: await computePageDigest(read, hashText) } : {}
  return { _meta: { ui: { ...reference, ...(visibility ? { visibility: [...visibility] } : {}) } } }
}

async function declaredIn(path: string): Promise<BundledTool | BundledDocument> {
  const { href } = pathToFileURL(join(root, path))
  const { default: tool }: { default: unknown } = await import(href).catch((error: unknown) => {
    throw new Broken(locateError(path, error))
  })
  if (!isDeclared(tool)) throw new Broken(`${path}: must export what 'tool' of '#tool' makes, by default`)
  const hosts = parseValue(allowedHosts, [...(tool.hosts ?? [])])
  if (!hosts.ok) refuse(`${path}: hosts`, hosts.problems)
  return tool
}

const isDeclared = (tool: unknown): tool is BundledTool | BundledDocument =>
  isObject(tool) && (isObject(tool['document']) || (isObject(tool['input']) && typeof tool['handler'] === 'function'))

const nothing = async () => undefined

const codecs = [oxp, openToolCalling, machineContext]

async function readDocument(path: string, toolkit: string, { document, handlers }: BundledDocument) {
  const everyTool = Object.fromEntries(Object.keys(handlers).map((name) => [name, { kind: 'bundled' }]))
  const body = { definition: document, toolkit, implementations: everyTool }
  const runners = new Map([['bundled', { kind: 'bundled', check: () => [] }]])
  const prepared = await prepareDocument(
    { kind: 'document', body },
    {
      codecs,
      runners,
      sha256: hashText,
      source: {
        findDocumentAddress: nothing,
        loadCurrent: nothing,
        loadRecord: nothing,
        hasToolkit: async () => false,
      },
    },
  )
  if (!prepared.ok) return refuse(path, prepared.problems)
  const { records, document: definitionDocument } = prepared.value.publication
  if (!definitionDocument) throw new Broken(`${path}: a document of one tool is written as a tool`)
  const namesByTool = new Map(Object.entries(definitionDocument.tools).map(([name, tool]) => [tool, name]))
  return records.map((record) => {
    const name = namesByTool.get(record.tool)
    if (name === undefined || !record.implementation) throw new Broken(`${path}: '${record.tool}' has no handler`)
    return {
      path,
      record,
      document: definitionDocument,
      formatBundled: (importName: string) =>
        `{ handler: ${importName}.findHandler(${JSON.stringify(name)}), hosts: ${importName}.hosts, isDemo: ${importName}.isDemo }`,
    }
  })
}

function refuse(path: string, problems: readonly Problem[]): never[] {
  if (problems.length === 0) return []
  const line = findLine(readFileSync(join(root, path), 'utf8'), problems[0]?.path ?? '')
  const text = problems.map(({ path: at, message }) => `${at || 'it'}: ${message}`).join('; ')
  throw new Broken(`${path}${line}: ${text}`)
}

/** Finds the line where the steps of a JSON Pointer appear in sequence in the source. */
function findLine(source: string, pointer: string): string {
  const names = parsePointer(pointer)?.filter((step) => !/^\d*$/.test(step)) ?? []
  const end = names.reduce((from, name) => (from === -1 ? -1 : source.indexOf(name, from)), 0)
  return end <= 0 ? '' : `:${source.slice(0, end).split('\n').length}`
}

export async function readTools(folder: string): Promise<DeclaredTool[]> {
  const declaredTools: DeclaredTool[] = []
  for (const toolkit of await readdir(join(root, folder), { withFileTypes: true })) {
    if (!toolkit.isDirectory()) continue
    for (const file of await readdir(join(root, folder, toolkit.name))) {
      const tool = /^([^.]+)\.ts$/.exec(file)?.[1]
      if (tool === undefined) continue
      declaredTools.push(
        ...(await readFile(folder, `${folder}/${toolkit.name}/${file}`, { toolkit: toolkit.name, tool })),
      )
    }
  }
  const ids = new Set(declaredTools.map(({ record }) => record.id.toLowerCase()))
  if (ids.size < declaredTools.length) throw new Broken('Two tools have the same id, ignoring case')
  return declaredTools.sort((a, b) => (a.record.id < b.record.id ? -1 : 1))
}
