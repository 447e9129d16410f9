import type { Importer, ImportItem, ImportRequest, SkippedTool } from '../../core/publish/import.ts'
import { invalidSource } from '../../core/publish/import.ts'
import { createYielder } from '../../core/tool/budget.ts'
import { shortDescription } from '../../core/tool/definition-fields.ts'
import { isVersion } from '../../core/tool/tool-id.ts'
import { type OpenApiNode, objectAt, type ConvertResult, readDescription } from './description.ts'
import { requireObject, parseDocumentText } from './document-text.ts'
import { type ToolMaker, buildTool } from './operation-tool.ts'
import { type DescribedOperation, listDescribedOperations } from './operations.ts'
import { readImportOptions } from './options.ts'
import { createSchemaConverter } from './schema.ts'
import { listSchemes } from './security.ts'

interface OpenApiImporterOptions {
  readonly fetchText: (
    url: string,
    signal: ImportRequest['signal'],
  ) => Promise<
    | { readonly ok: true; readonly text: string; readonly url: string }
    | { readonly ok: false; readonly problem: string }
  >
}

const MAX_TOOLS = 5_000

export function createOpenApiImporter({ fetchText }: OpenApiImporterOptions): Importer {
  return {
    kind: 'openapi',
    async read(request) {
      const refuse = (message: string) => invalidSource({ path: '/from/openapi', message })
      const source = await readSource(request, fetchText)
      const parsedDescription = source.ok ? readDescription(source.value, source.url) : source
      if (!parsedDescription.ok) return refuse(parsedDescription.problem)
      const description = parsedDescription.value
      const options = readImportOptions(request.options, Object.keys(listSchemes(description)))
      if (!options.ok) return invalidSource(...options.problems)
      const listedOperations = listDescribedOperations(description)
      if (!listedOperations.ok) return refuse(listedOperations.problem)
      const { operations, unreadable } = listedOperations.value
      if (operations.length + unreadable.length === 0)
        return refuse('Must describe operations under `paths`, and has none')
      const selectedOperations: DescribedOperation[] = []
      const yieldIfDue = createYielder(() => request.budget.spent, request.yieldControl)
      for (const operation of operations) {
        if (request.isSelected(operation.tool)) selectedOperations.push(operation)
        await yieldIfDue()
      }
      if (selectedOperations.length > MAX_TOOLS) {
        const limit = `one request makes at most ${MAX_TOOLS} tools: choose some with 'tools'`
        return refuse(`Has ${selectedOperations.length} operations, and ${limit}`)
      }
      const items = buildItems(selectedOperations, unreadable, {
        description,
        requests: createSchemaConverter(description, 'request'),
        responses: createSchemaConverter(description, 'response'),
        toolkit: request.toolkit,
        options: options.value,
        budget: request.budget,
      })
      const { version, description: infoDescription, title } = objectAt(description.root, 'info')
      const toolkitDescription = [infoDescription, title].flatMap((text) => shortDescription(text) ?? [])[0]
      return {
        ok: true,
        items,
        toolkitDescription,
        ...(typeof version === 'string' && isVersion(version) ? { version } : {}),
      }
    },
  }
}

function* buildItems(
  operations: readonly DescribedOperation[],
  unreadable: readonly SkippedTool[],
  maker: ToolMaker,
): Generator<ImportItem> {
  for (const skipped of unreadable) yield { skipped }
  for (const operation of operations) yield buildTool(operation, maker)
}

async function readSource(
  request: ImportRequest,
  fetchText: OpenApiImporterOptions['fetchText'],
): Promise<ConvertResult<OpenApiNode> & { readonly url?: string }> {
  const { source, signal, yieldControl } = request
  if (typeof source !== 'string') return requireObject(source)
  if (!/^\s*https?:\/\/\S+\s*$/i.test(source)) return parseDocumentText(source, yieldControl)
  const fetchResult = await fetchText(source.trim(), signal)
  return fetchResult.ok
    ? { ...(await parseDocumentText(fetchResult.text, yieldControl)), url: fetchResult.url }
    : fetchResult
}
