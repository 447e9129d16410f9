/**
 * Makes `src/generated/`: the bundle of the tools under `tools/`, with their records, digests and compiled validators,
 * and the text of the modules that run inside sandboxes. `npm run generate` runs it, and so does every build of the Worker. `--tools` and `--out` name other folders.
 */
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import type { KeptDocument } from '../core/publish/registry.ts'
import { prepareDocument } from '../core/publish/prepare.ts'
import type { BundledDocument, BundledTool } from '../core/tool/bundled-tool.ts'
import type { Problem } from '../core/tool/problem.ts'
import type { JsonObject } from '../core/tool/json.ts'
import { recordOf } from '../core/publish/record.ts'
import { checkSchema } from '../core/schema/publishable.ts'
import { isNamePart, isVersion, type ToolName } from '../core/tool/tool-id.ts'
import { NO_REQUIREMENTS, type ToolRecord } from '../core/tool/tool.ts'
import { machineContext } from '../dialects/machine-context/definition.ts'
import { openToolCalling } from '../dialects/open-tool-calling/definition.ts'
import { oxp } from '../dialects/oxp/definition.ts'
import { compileSchemas } from './compile-schemas.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { values: folders } = parseArgs({
  options: { tools: { type: 'string', default: 'tools' }, out: { type: 'string', default: 'src/generated' } },
})
const generated = join(root, folders.out)
/** How a generated file names a file of the repository. */
const fromGenerated = (path: string) => relative(generated, join(root, path)).replaceAll('\\', '/')

interface Found {
  readonly path: string
  readonly record: ToolRecord
  /** What the generated module takes of the tool's own, whose default export is `own`. */
  readonly carried: (own: string) => string
  readonly document?: KeptDocument
}

const sha256 = async (text: string) => createHash('sha256').update(text).digest('hex')

/** Reads the tools that a file declares; the path of one is its id. Throws with the path when it declares what it may not. */
async function readFound(path: string, name: ToolName): Promise<Found[]> {
  const { default: tool }: { default: BundledTool | BundledDocument } = await import(
    pathToFileURL(join(root, path)).href
  )
  if ('document' in tool) return readDocument(path, name.toolkit, tool)
  const { version, description, input, output, title, securityLevel, annotations, mayGiveArtifact, tags = [] } = tool
  if (!isNamePart(name.toolkit) || !isNamePart(name.tool) || !isVersion(version)) {
    throw new Error(`${path}: must be ${folders.tools}/<Toolkit>/<Tool>.ts, with a version such as 1.0.0`)
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
    ...(mayGiveArtifact ? { metadata: { available_modes: ['artifact'] } } : {}),
    tags,
  }
  const parts = { definition, implementation: { kind: 'bundled' }, dialect: 'bundle', document: null }
  const record = await recordOf(parts, sha256)
  const { document } = oxp.encode(record)
  const problems = [input, output ?? {}].flatMap((schema) => checkSchema(schema, { references: oxp.references }))
  const decoded = oxp.decode(document, {})
  if (!decoded.ok) problems.push(...decoded.problems)
  refuse(path, problems)
  return [{ path, record: { ...record, source: { dialect: oxp.dialect, document } }, carried: (own) => own }]
}

const nothing = async () => undefined

/** Those whose documents say of each tool what it is called. */
const codecs = [oxp, openToolCalling, machineContext]

/** Reads a definition document, whose tools are the folder's. */
async function readDocument(path: string, toolkit: string, { document, handlers }: BundledDocument): Promise<Found[]> {
  const everyTool = Object.fromEntries(Object.keys(handlers).map((name) => [name, { kind: 'bundled' }]))
  const body = { definition: document, toolkit, implementations: everyTool }
  const runners = new Map([['bundled', { kind: 'bundled', check: () => [] }]])
  const prepared = await prepareDocument(
    { body },
    { codecs, runners, sha256, source: { addressed: nothing, current: nothing, holds: async () => false } },
  )
  if (!prepared.ok) return refuse(path, prepared.problems)
  const { records, document: kept } = prepared.value
  if (!kept) throw new Error(`${path}: a document of one tool is written as a tool`)
  const named = new Map(Object.entries(kept.tools).map(([name, tool]) => [tool, name]))
  return records.map((record) => {
    const name = named.get(record.tool)
    if (name === undefined || !record.implementation) throw new Error(`${path}: '${record.tool}' has no handler`)
    return { path, record, document: kept, carried: (own) => `{ handler: ${own}.handlerOf(${JSON.stringify(name)}) }` }
  })
}

function refuse(path: string, problems: readonly Problem[]): never[] {
  if (problems.length === 0) return []
  throw new Error(`${path}: ${problems.map(({ path: at, message }) => `${at || 'it'}: ${message}`).join('; ')}`)
}

async function readTools(): Promise<Found[]> {
  const found: Found[] = []
  for (const folder of await readdir(join(root, folders.tools), { withFileTypes: true })) {
    if (!folder.isDirectory()) continue
    for (const file of await readdir(join(root, folders.tools, folder.name))) {
      const tool = /^([^.]+)\.ts$/.exec(file)?.[1]
      if (tool)
        found.push(...(await readFound(`${folders.tools}/${folder.name}/${file}`, { toolkit: folder.name, tool })))
    }
  }
  const ids = new Set(found.map(({ record }) => record.id.toLowerCase()))
  if (ids.size < found.length) throw new Error('Two tools have the same id, ignoring case')
  return found.sort((a, b) => (a.record.id < b.record.id ? -1 : 1))
}

/** Writes a file only when it changed, in one step: a dev server watches the folder, and another build may be at it too. */
async function write(name: string, text: string): Promise<void> {
  const path = join(generated, name)
  if ((await readFile(path, 'utf8').catch(() => undefined)) === text) return
  const unfinished = `${path}.${randomUUID()}.tmp`
  await writeFile(unfinished, text)
  await rename(unfinished, path)
}

// Node calls it experimental to strip types from a text, and would say so each time
process.removeAllListeners('warning')

const tools = await readTools()
const schemas: Record<string, JsonObject> = {}
tools.forEach(({ record }, index) => {
  schemas[`input${index}`] = record.input
  schemas[`output${index}`] = record.output === null ? { type: 'null' } : Object(record.output)
})
const documents = [...new Set(tools.flatMap(({ document }) => document ?? []))]
const hash = await sha256([...tools.map(({ record }) => record.digest), ...documents.map((each) => each.hash)].join())
const names = Object.keys(schemas)

await mkdir(generated, { recursive: true })
await write('validators.js', await compileSchemas(schemas))
await write(
  'validators.d.ts',
  [
    `import type { CompiledSchema } from '${fromGenerated('src/core/schema/validator.ts')}'`,
    ...names.map((name) => `export const ${name}: CompiledSchema`),
    '',
  ].join('\n'),
)
await write(
  'build.ts',
  [
    `import type { Build } from '${fromGenerated('src/node/build.ts')}'`,
    `import { compiledValidate } from '${fromGenerated('src/core/schema/validator.ts')}'`,
    "import * as validators from './validators.js'",
    ...tools.map(({ path }, index) => `import tool${index} from '${fromGenerated(path)}'`),
    '',
    `export const build: Build = {`,
    `  hash: '${hash}',`,
    '  tools: [',
    ...tools.map(
      ({ record, carried }, index) =>
        `    { digest: '${record.digest}', tool: ${carried(`tool${index}`)}, validateInput: compiledValidate(validators.input${index}), validateOutput: compiledValidate(validators.output${index}), record: ${JSON.stringify(record)} },`,
    ),
    '  ],',
    `  documents: ${JSON.stringify(documents)},`,
    '}',
    '',
  ].join('\n'),
)

/** The modules of a folder as JavaScript, and a hash of them all. They are loaded as text, so nothing bundles them. */
async function readInside(folder: string): Promise<{ hash: string; modules: Record<string, { js: string }> }> {
  const modules: Record<string, { js: string }> = {}
  for (const name of (await readdir(join(root, folder))).filter((each) => /^[a-z0-9-]+\.[jt]s$/.test(each)).sort()) {
    const source = await readFile(join(root, folder, name), 'utf8')
    const uncommented = stripTypeScriptTypes(source).replaceAll(/^ *(?:\/\*\*|\*|\/\/).*$/gm, '')
    modules[name] = { js: uncommented.replaceAll(/ +$/gm, '').replaceAll(/\n{2,}/g, '\n') }
  }
  return { hash: await sha256(JSON.stringify(modules)), modules }
}

const inside = { code: await readInside('src/runners/code/inside'), wasm: await readInside('src/runners/wasm/inside') }
await write('inside.ts', `export const inside = ${JSON.stringify(inside)} as const\n`)
