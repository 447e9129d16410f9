import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { transform } from 'esbuild'
import tokenRanks from 'gpt-tokenizer/bpeRanks/o200k_base'
import { isCheckedInLinearTime } from '../core/schema/validator.ts'
import type { JsonSchema } from '../core/tool/tool.ts'
import { agentHostsFile } from './agent-hosts.ts'
import { compileSchemas } from './compile-schemas.ts'
import words from '../api/openapi/words.json' with { type: 'json' }
import type { Docs } from '../docs/docs.ts'
import { examplesFile } from './examples.ts'
import { readGuides } from './guides.ts'
import { readTools, hashText } from './read-tools.ts'
import { writeChanged } from './write-changed.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

export async function writeGenerated(from: string, to: string): Promise<void> {
  const folder = join(root, to)
  await mkdir(join(folder, 'assets'), { recursive: true })
  for (const [name, text] of [
    ...(await bundledTools(from, folder)),
    ...(await sandboxes()),
    await agentHostsFile(),
    await examplesFile(),
    ['assets/docs.json', JSON.stringify(await readDocs())],
    ['assets/o200k_base.json', JSON.stringify(tokenRanks)],
    await consoleAssets(),
  ]) {
    await writeChanged(join(folder, name), text)
  }
}

type File = readonly [name: string, text: string]

async function bundledTools(from: string, folder: string): Promise<File[]> {
  const place = (path: string) => relative(folder, join(root, path)).replaceAll('\\', '/')
  const tools = await readTools(from)
  const schemas: Record<string, JsonSchema> = {}
  tools.forEach(({ record }, index) => {
    schemas[`input${index}`] = record.input
    schemas[`output${index}`] = record.output ?? { type: 'null' }
  })
  for (const [name, schema] of Object.entries(schemas)) if (!isCheckedInLinearTime(schema)) delete schemas[name]
  const compiled = (field: string, name: string) => (name in schemas ? `${field}: validators.${name}, ` : '')
  const documents = [...new Set(tools.flatMap(({ document }) => document ?? []))]
  const hash = await hashText(
    [...tools.map(({ record }) => record.digest), ...documents.map((document) => document.hash)].join(),
  )
  const declarations = [
    `import type { CompiledSchema } from '${place('src/core/schema/validator.ts')}'`,
    ...Object.keys(schemas).map((name) => `export const ${name}: CompiledSchema`),
    '',
  ]
  const build = [
    `import type { Build } from '${place('src/node/build.ts')}'`,
    "import * as validators from './validators.js'",
    ...tools.map(({ path }, index) => `import tool${index} from '${place(path)}'`),
    '',
    `export const build: Build = {`,
    `  hash: '${hash}',`,
    '  tools: [',
    ...tools.map(
      ({ record, formatBundled }, index) =>
        `    { digest: '${record.digest}', tool: ${formatBundled(`tool${index}`)}, ${compiled('validateInput', `input${index}`)}${compiled('validateOutput', `output${index}`)}record: ${JSON.stringify(record)} },`,
    ),
    '  ],',
    `  documents: ${JSON.stringify(documents)},`,
    '}',
    '',
  ]
  return [
    ['validators.js', await compileSchemas(schemas)],
    ['validators.d.ts', declarations.join('\n')],
    ['build.ts', build.join('\n')],
  ]
}

async function readDocs(): Promise<Docs> {
  const folder = join(root, 'src/docs')
  const files: Record<string, string> = {}
  for (const name of ['alerts.yml', 'dashboard.json']) files[name] = await readFile(join(folder, name), 'utf8')
  const style = await minifyFile(join(folder, 'docs.css'))
  return { guides: await readGuides(folder), files, style, reference: words }
}

async function minifyFile(file: string): Promise<string> {
  const loader = file.endsWith('.css') ? 'css' : 'ts'
  const { code } = await transform(await readFile(file, 'utf8'), { loader, minify: true, charset: 'utf8' })
  return code.trimEnd()
}

async function consoleAssets(): Promise<File> {
  const folder = join(root, 'src/console/browser')
  const files = ['console.css', 'enhance.ts', 'call.ts', 'pick.ts'].map((name) => minifyFile(join(folder, name)))
  const [style, script, callScript, pickScript] = await Promise.all(files)
  return ['console.ts', `export const assets = ${JSON.stringify({ style, script, callScript, pickScript })} as const\n`]
}

/** Hashes have a separate file, because they are needed long before the modules. */
async function sandboxes(): Promise<readonly File[]> {
  const inside = {
    code: await readInside('src/runners/code/guest'),
    wasm: await readInside('src/runners/wasm/guest'),
  }
  const hashes = { code: inside.code.hash, wasm: inside.wasm.hash }
  return [
    ['inside.ts', `export const inside = ${JSON.stringify(inside)} as const\n`],
    ['inside-hashes.ts', `export const insideHashes = ${JSON.stringify(hashes)} as const\n`],
  ]
}

async function readInside(folder: string): Promise<{ hash: string; modules: Record<string, { js: string }> }> {
  const modules: Record<string, { js: string }> = {}
  for (const name of (await readdir(join(root, folder))).filter((name) => /^[a-z0-9-]+\.[jt]s$/.test(name)).sort()) {
    modules[name] = { js: await minifyFile(join(root, folder, name)) }
  }
  return { hash: await hashText(JSON.stringify(modules)), modules }
}
