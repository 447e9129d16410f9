import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import { codecs, formats } from '../../src/compose/dialects.ts'
import { ADMIN, FetchCapability } from '../../src/core/access/principal.ts'
import type { Importer, ImportRequest } from '../../src/core/publish/import.ts'
import { importTools } from '../../src/core/publish/import-tools.ts'
import { checkSchemas, checkStorable, checkReadCost } from '../../src/core/publish/check-definition.ts'
import { pluginSubmission } from '../../src/core/publish/plugin-submission.ts'
import { createPublish } from '../../src/core/publish/publish.ts'
import type { PublicationResult } from '../../src/core/publish/registry.ts'
import { createToolRecord } from '../../src/core/tool/digest.ts'
import { createBudget } from '../../src/core/tool/budget.ts'
import type { Codec } from '../../src/core/tool/codec.ts'
import { isJsonObject, type Json } from '../../src/core/tool/json.ts'
import type { ToolRecord } from '../../src/core/tool/tool.ts'
import { REMOTE_PROTOCOLS, type RemoteProtocol } from '../../src/core/tool/remote-dialect.ts'
import { machineContext } from '../../src/dialects/machine-context/definition.ts'
import { mcp } from '../../src/dialects/mcp/definition.ts'
import { openToolCalling } from '../../src/dialects/open-tool-calling/definition.ts'
import { oxp } from '../../src/dialects/oxp/definition.ts'
import { plugin } from '../../src/dialects/plugin/definition.ts'
import { inside } from '../../src/generated/inside.ts'
import { createOpenApiImporter } from '../../src/importers/openapi/importer.ts'
import type { OpenUpstream } from '../../src/importers/upstream.ts'
import { createCodeRunner } from '../../src/runners/code/runner.ts'
import { createHttpRunner } from '../../src/runners/http/runner.ts'
import { createRemoteRunner } from '../../src/runners/remote/runner.ts'
import { createWasmRunner } from '../../src/runners/wasm/runner.ts'
import { worldOf } from '../core/publish/fakes.ts'
import { build } from '../fixtures/generated/build.ts'
import { importerFrom, upstreamDeps } from '../runners/remote/set-up.ts'
import { DEFINITION, IMPLEMENTATIONS, OPENAPI, SWAGGER, YAML } from './examples.ts'
import { texts, values } from './mutations.ts'
import { expectWords, isRead, row, type Row, written } from './row.ts'

const sha256 = async (text: string) => createHash('sha256').update(text).digest('hex')
const GIVEN = { toolkit: 'Kit', version: '1.0.0' }
const GIVES_PLACE = ['plugin', 'mcp']

const records = build.tools.map(({ record }) => record)
/** Writes the bundled tools of the tests in a dialect. */
const documentsIn = ({ encode }: Codec): readonly Json[] => records.map((record) => written(encode(record).document))

const BODIES: readonly Json[] = [
  ...IMPLEMENTATIONS.map((implementation) => ({ definition: DEFINITION, implementation, tags: ['a'] })),
  ...codecs.flatMap((codec) =>
    documentsIn(codec)
      .slice(0, 3)
      .map((definition) => ({ definition, ...GIVEN })),
  ),
  DEFINITION,
]

const runnerDeps = {
  sandbox: undefined,
  inside: { hash: inside.code.hash, modules: async () => inside.code.modules },
  allowHttpHosts: new Set<string>(),
  log: () => undefined,
}
const runners = new Map(
  [
    createHttpRunner({
      guardedFetch: () => Promise.reject(new Error('Nothing is called')),
      now: () => 0,
      sleep: async () => undefined,
      random: () => 0,
    }),
    createRemoteRunner(upstreamDeps()),
    createCodeRunner(runnerDeps),
    createWasmRunner({ ...runnerDeps, readBlob: async () => undefined }),
  ].map((runner) => [runner.kind, runner]),
)
const world = { ...worldOf().deps, codecs, formats, runners }
const stored: ToolRecord[] = []
const publish = createPublish({
  ...world,
  writer: {
    ...world.writer,
    publish: async (publications) => {
      stored.push(...publications.flatMap((each) => each.records))
      return publications.map((each) => ({
        ok: true,
        outcome: 'created',
        ids: each.records.map(({ id }) => id),
        warnings: [],
      }))
    },
  },
})

/** Whether it was published; if so, checks that it can be exported to every format, and prepared to run. */
function isPublished(report: PublicationResult | undefined): boolean {
  if (!report) throw new Error('A publication came to nothing')
  if (report.ok) return areSound(stored.splice(0))
  stored.length = 0
  const { failure } = report
  if (failure.type === 'definition-invalid') return isRead({ ok: false, problems: failure.problems })
  expect(['forbidden', 'conflict']).toContain(failure.type)
  return false
}

function areSound(kept: readonly ToolRecord[]): true {
  for (const record of kept) {
    for (const [, format] of formats) written(format(record, record.name))
    const { implementation } = record
    const prepared = implementation && runners.get(implementation.kind)?.prepare({ ...record, implementation })
    if (prepared?.ok === false) expectWords(prepared.reason)
  }
  return true
}

/** Checks that the reasons of the skipped parts of an import are texts for callers, and that the others can be used. */
async function isImported(importer: Importer, asked: Pick<ImportRequest, 'source' | 'options'>): Promise<boolean> {
  const budget = createBudget(Infinity)
  const read = await importer.read({ ...REQUEST, ...asked, budget })
  if (!read.ok) {
    if (read.failure.type !== 'definition-invalid') throw new Error(`Failed with '${read.failure.type}'`)
    return isRead({ ok: false, problems: read.failure.problems })
  }
  const options = { principal: ADMIN, sourceVersion: read.version, dryRun: false, allowBreaking: false }
  const { imported: made, skipped } = await importTools(
    read.items,
    { ...options, budget, yieldControl: async () => undefined },
    publish,
  )
  for (const { reason } of skipped) expectWords(reason)
  areSound(stored.splice(0))
  return made.length > 0
}

const REQUEST: Omit<ImportRequest, 'source' | 'options' | 'budget'> = {
  toolkit: 'There',
  isSelected: () => true,
  secret: () => ({ missing: 'No secrets here' }),
  yieldControl: async () => undefined,
  signal: new AbortController().signal,
  fetchCapability: new FetchCapability('test'),
}
const openApi = createOpenApiImporter({ fetchText: async () => ({ ok: false, problem: 'Cannot be fetched' }) })
const listing =
  (tools: Json): OpenUpstream =>
  () => ({
    ok: true,
    value: async () => ({ ok: true, value: { tools: Array.isArray(tools) ? tools : [tools], version: '1.0.0' } }),
  })
const LISTED_OVER: Readonly<Record<RemoteProtocol, readonly Json[]>> = {
  'mcp': [
    { name: 'add', description: 'Adds', inputSchema: { type: 'object', properties: { a: { type: 'number' } } } },
    { ...Object(documentsIn(mcp)[0]), icons: [{ src: 'https://x.example/i.png' }], outputSchema: { type: 'array' } },
  ],
  'oxp': [DEFINITION, ...documentsIn(oxp).slice(0, 3)],
  'open-tool-calling': documentsIn(openToolCalling).slice(0, 3),
  'machine-context': documentsIn(machineContext).slice(0, 3),
  'plugin': [{ name: 'add', description: 'Adds', inputSchema: { type: 'object' } }],
}

export const publications: readonly Row[] = [
  ...codecs.map((codec) =>
    row(`a definition in ${codec.dialect}`, values(documentsIn(codec)), async (document) => {
      const given = GIVES_PLACE.includes(codec.dialect) ? GIVEN : {}
      codec.recognizes(document)
      const decoded = codec.decode(document, given)
      if (!isRead(decoded)) return false
      const budget = createBudget()
      const problems = [...checkStorable(document, 'a definition', ''), ...checkReadCost(document, '', budget)]
      if (problems.length === 0) problems.push(...checkSchemas(decoded.value.schemas, codec.references, budget))
      if (problems.length > 0) return isRead({ ok: false, problems })
      const { dialect } = codec
      const made = await Promise.all(
        decoded.value.definitions.map((definition) => createToolRecord({ definition, dialect, document }, sha256)),
      )
      for (const record of made) {
        // Every dialect can write it, and read the result
        for (const writer of codecs) {
          const encoded = formats.get(writer.dialect)?.(record, record.name)
          if (!encoded || !isRead(encoded)) continue
          for (const { reason } of encoded.value.losses) expectWords(reason)
          const again = writer.decode(
            written(encoded.value.document),
            GIVES_PLACE.includes(writer.dialect) ? { toolkit: record.toolkit, version: record.version } : {},
          )
          expect(again.ok ? [] : { dialect: writer.dialect, problems: again.problems }).toEqual([])
        }
      }
      return areSound(made)
    }),
  ),
  row('a publication', values(BODIES), async (body) => {
    const [report] = await publish([{ kind: 'document', body }], { principal: ADMIN, allowBreaking: false })
    return isPublished(report)
  }),
  ...IMPLEMENTATIONS.map((implementation) =>
    row(`an implementation of the kind '${String(implementation.kind)}'`, values([implementation]), async (given) => {
      const body = { definition: DEFINITION, implementation: given }
      const [report] = await publish([{ kind: 'document', body }], { principal: ADMIN, allowBreaking: false })
      return isPublished(report)
    }),
  ),
  row(
    "a plugin's description of itself",
    values([
      {
        tools: documentsIn(plugin)
          .flatMap((each) => Object(each).tools)
          .slice(0, 4),
      },
    ]),
    async (described) => {
      if (!isJsonObject(described)) return false
      const options = { toolkit: 'Kit', version: '1.0.0', allowed_hosts: [], config: {} }
      const implementationOf = (tool: string) => ({ ...IMPLEMENTATIONS[3], kind: 'wasm', config: {}, tool })
      const submission = pluginSubmission(described, implementationOf, options, plugin)
      if (!isRead(submission)) return false
      const [report] = await publish([submission.value], { principal: ADMIN, allowBreaking: false })
      return isPublished(report)
    },
  ),
  row('a description in OpenAPI', values([OPENAPI, SWAGGER]), async (source) => {
    if (!isJsonObject(source)) return false
    return isImported(openApi, { source, options: {} })
  }),
  row('a description in OpenAPI, as a text', texts([YAML, JSON.stringify(SWAGGER)]), async (source) =>
    isImported(openApi, { source, options: {} }),
  ),
  row(
    'what is said beside a description',
    values([
      {
        base_url: 'https://b.example.com/v2',
        outputs: 'any',
        credentials: { key: { secret: 'KEY', in: 'header', name: 'x-key', format: 'Key {value}' } },
      },
    ]),
    async (options) => isJsonObject(options) && isImported(openApi, { source: SWAGGER, options }),
  ),
  ...REMOTE_PROTOCOLS.map((protocol) =>
    row(`the tools that a server of ${protocol} lists`, values([LISTED_OVER[protocol]]), async (tools) => {
      return isImported(importerFrom(protocol, listing(tools)), { source: 'https://tools.example.com', options: {} })
    }),
  ),
]
