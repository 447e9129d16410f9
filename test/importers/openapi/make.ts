import { formats } from '../../../src/compose/dialects.ts'
import { createHash } from 'node:crypto'
import { ADMIN, FetchCapability } from '../../../src/core/access/principal.ts'
import { importTools } from '../../../src/core/publish/import-tools.ts'
import type { ImportedTool, SkippedTool } from '../../../src/core/publish/import.ts'
import { UNKNOWN } from '../../../src/core/access/change-refusal.ts'
import { createPublish } from '../../../src/core/publish/publish.ts'
import { createBudget, type Budget } from '../../../src/core/tool/budget.ts'
import type { JsonObject } from '../../../src/core/tool/json.ts'
import type { ToolRecord } from '../../../src/core/tool/tool.ts'
import { createOpenApiImporter } from '../../../src/importers/openapi/importer.ts'
import { createHttpRunner } from '../../../src/runners/http/runner.ts'

export interface Options {
  readonly options?: JsonObject
  readonly toolkit?: string
  readonly isSelected?: (tool: string) => boolean
  /** The response of a URL as the source. */
  readonly served?: string
  readonly budget?: Budget
}

const http = createHttpRunner({
  guardedFetch: () => Promise.reject(new Error('Nothing is called')),
  now: () => 0,
  random: () => 0,
  sleep: () => Promise.resolve(),
})

/** Imports a description without publishing it. */
export async function read(
  source: string | object,
  { options = {}, toolkit = 'Kit', isSelected = () => true, served, budget = createBudget(Infinity) }: Options = {},
) {
  const importer = createOpenApiImporter({
    fetchText: async (url) =>
      served === undefined ? { ok: false, problem: 'Cannot be fetched' } : { ok: true, text: served, url },
  })
  const result = await importer.read({
    source: source as JsonObject,
    toolkit,
    isSelected,
    options,
    secret: () => ({ missing: 'No secrets here' }),
    budget,
    yieldControl: async () => undefined,
    signal: new AbortController().signal,
    fetchCapability: new FetchCapability('test'),
  })
  if (!result.ok)
    return { failure: result.failure, problems: 'problems' in result.failure ? result.failure.problems : [] }
  const tools: ImportedTool[] = []
  const skipped: SkippedTool[] = []
  for (const item of result.items) {
    if ('tool' in item) tools.push(item.tool)
    else skipped.push(item.skipped)
  }
  return {
    tools,
    skipped,
    version: result.version,
    items: [...tools.map((tool) => ({ tool })), ...skipped.map((each) => ({ skipped: each }))],
  }
}

/** Imports an OpenAPI 3.1 operation, and returns its tool. */
export async function toolOf(
  operation: object,
  {
    root = {},
    path = '/things',
    method = 'get',
    ...more
  }: Options & { root?: object; path?: string; method?: string } = {},
) {
  const document = {
    openapi: '3.1.0',
    servers: [{ url: 'https://api.example.com' }],
    paths: { [path]: { [method]: { responses: {}, ...operation } } },
    ...root,
  }
  const made = await read(document, more)
  if (!made.tools) throw new Error(JSON.stringify(made.failure))
  const { imported: published, skipped } = await publish(made.items, [])
  const [tool] = made.tools
  return {
    tool: tool!,
    definition: JSON.parse(JSON.stringify(tool?.definition ?? null)),
    implementation: JSON.parse(JSON.stringify(tool?.implementation ?? null)),
    reason: skipped[0]?.reason,
    published,
  }
}

/** Publishes to an in-memory registry; `records` holds everything published so far. */
export async function publish(
  items: NonNullable<Awaited<ReturnType<typeof read>>['items']>,
  records: ToolRecord[],
  more: { version?: string; sourceVersion?: string | undefined; dryRun?: boolean; allowBreaking?: boolean } = {},
) {
  const versionsOf = (toolkit: string, tool: string) =>
    records.filter((each) => `${each.toolkit}.${each.tool}`.toLowerCase() === `${toolkit}.${tool}`.toLowerCase())
  const current = async ({ toolkit, tool }: { toolkit: string; tool: string }) => {
    const own = versionsOf(toolkit, tool)
    const newest = own.at(-1)
    if (!newest) return undefined
    const versions = own.map(({ version, digest }) => ({
      version,
      digest,
      status: { state: 'active' as const },
      publisher: { principal: 'admin', trusted: true },
    }))
    return { toolkit: newest.toolkit, tool: newest.tool, versions, newest }
  }
  return importTools(
    items,
    {
      principal: ADMIN,
      dryRun: false,
      allowBreaking: false,
      budget: createBudget(Infinity),
      yieldControl: async () => undefined,
      ...more,
    },
    createPublish({
      codecs: [],
      formats,
      yieldControl: async () => undefined,
      runners: new Map([['http', http]]),
      sha256: async (text) => createHash('sha256').update(text).digest('hex'),
      source: {
        loadCurrent: current,
        findDocumentAddress: async () => undefined,
        hasToolkit: async () => false,
        loadRecord: async (digest) => records.find((each) => each.digest === digest),
      },
      writer: {
        publish: async (publications) =>
          publications.map((publication) => {
            records.push(...publication.records)
            return { ok: true, outcome: 'created', ids: publication.records.map(({ id }) => id), warnings: [] }
          }),
        change: async () => UNKNOWN,
        rights: async () => ({ denied: undefined, maySendSecrets: true }),
      },
      toolSecrets: { isGranted: () => false },
    }),
  )
}
