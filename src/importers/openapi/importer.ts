import { invalidSource } from '../../core/publish/source-refusal.ts'
import type { Importer, ImportItem, ImportRequest } from '../../core/publish/import.ts'
import { isVersion } from '../../core/tool/tool-id.ts'
import { type Description, readDescription } from './description.ts'
import { checkedDocument, readText, type ReadText } from './document-text.ts'
import { isTool, type ToolMaker, toolOf } from './operation-tool.ts'
import { type Operation, operationsOf } from './operations.ts'
import { readOptions } from './options.ts'
import { createSchemaConverter } from './schema.ts'
import { schemesOf } from './security.ts'

export interface OpenApiImporterOptions {
  /** Fetches a description's text, or says why it cannot. Its URL is the one it came from in the end. */
  readonly fetchText: FetchText
}

export type FetchText = (
  url: string,
  signal: ImportRequest['signal'],
) => Promise<
  { readonly ok: true; readonly text: string; readonly url: string } | { readonly ok: false; readonly problem: string }
>

/** The most tools one request makes; larger descriptions are imported in parts, chosen by `tools`. */
const MAX_TOOLS = 5_000

/**
 * Imports OpenAPI 2.0, 3.0 and 3.1 descriptions: each operation becomes a tool with an `http` implementation. Reads only
 * what an operation needs, when it is its turn, and never another document.
 */
export function createOpenApiImporter({ fetchText }: OpenApiImporterOptions): Importer {
  return {
    kind: 'openapi',
    async read(request) {
      const found = await readSource(request, fetchText)
      if (!found.ok) return invalidSource({ path: '/from/openapi', message: found.problem })
      const description = readDescription(found.root, found.url)
      if (typeof description === 'string') return invalidSource({ path: '/from/openapi', message: description })
      const options = readOptions(request.options, Object.keys(schemesOf(description)))
      if (!options.ok) return invalidSource(...options.problems)
      const { operations, unreadable } = operationsOf(description)
      if (operations.length + unreadable.length === 0) {
        return invalidSource({ path: '/from/openapi', message: 'Must describe operations under `paths`, and has none' })
      }
      const wanted = operations.filter(({ tool }) => request.wants(tool))
      if (wanted.length > MAX_TOOLS) {
        const message = `Has ${wanted.length} operations, and one request makes at most ${MAX_TOOLS} tools: choose some with 'tools'`
        return invalidSource({ path: '/from/openapi', message })
      }
      const maker: ToolMaker = {
        description,
        requests: createSchemaConverter(description, 'request'),
        responses: createSchemaConverter(description, 'response'),
        toolkit: request.toolkit,
        options: options.value,
      }
      return {
        ok: true,
        items: items(wanted, unreadable, maker),
        ...versionOf(description),
      }
    },
  }
}

function* items(
  operations: readonly Operation[],
  unreadable: ReturnType<typeof operationsOf>['unreadable'],
  maker: ToolMaker,
): Generator<ImportItem> {
  for (const { path, reason } of unreadable) yield { skipped: { name: path, reason } }
  for (const operation of operations) {
    const made = toolOf(operation, maker)
    const { tool, method, path } = operation
    yield isTool(made) ? { tool: made } : { skipped: { name: tool, reason: made.reason, about: { method, path } } }
  }
}

async function readSource(
  { source, signal }: ImportRequest,
  fetchText: FetchText,
): Promise<ReadText & { readonly url?: string }> {
  if (typeof source !== 'string') return checkedDocument(source)
  if (!/^\s*https?:\/\/\S+\s*$/i.test(source)) return readText(source)
  const fetched = await fetchText(source.trim(), signal)
  if (!fetched.ok) return fetched
  return { ...(await readText(fetched.text)), url: fetched.url }
}

function versionOf({ root }: Description): { readonly version?: string } {
  const { info } = root
  const version = typeof info === 'object' && info !== null && 'version' in info ? info.version : undefined
  return typeof version === 'string' && isVersion(version) ? { version } : {}
}
