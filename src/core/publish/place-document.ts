import { covers } from '../access/principal.ts'
import type { DecodeResult } from '../tool/codec.ts'
import type { Json } from '../tool/json.ts'
import type { ParseResult } from '../tool/problem.ts'
import type { ToolSource } from '../tool/tool-source.ts'
import type { DecodedDocument, DecodeDocumentOptions } from './decode-document.ts'

type PlacementSource = Pick<ToolSource, 'findDocumentAddress' | 'loadCurrent'>

/**
 * Chooses the toolkit of a document that has its own id, if its publisher names none. By default, the toolkit has the name
 * that the document specifies. The document is decoded again for another toolkit in two cases:
 *
 * - Its id is published already: it goes to the toolkit of that id.
 * - Its first tool has the id of a tool of another dialect, in different case: it goes to the codec's alternate toolkit.
 */
export async function placeDocument(
  document: Json,
  id: string,
  { codec, decoded }: DecodedDocument,
  { decodeOptions, publisher }: DecodeDocumentOptions,
  source: PlacementSource,
): Promise<ParseResult<DecodeResult>> {
  if (decodeOptions.toolkit !== undefined) return { ok: true, value: decoded }
  const address = await source.findDocumentAddress(codec.dialect, id)
  const toolkit = address?.toolkit ?? (await findAlternateToolkit(decoded, codec.dialect, source))
  if (toolkit === undefined || toolkit === decoded.definitions[0]?.toolkit) return { ok: true, value: decoded }
  // Only principals that may publish in a toolkit may learn that it has another publisher's document
  if (publisher && !covers(publisher, { toolkit, tool: '*' }, 'tools:publish')) return { ok: true, value: decoded }
  const movedDocument = codec.decode(document, { ...decodeOptions, toolkit })
  if (!movedDocument.ok) return movedDocument
  const reason = address ? `where '${id}' is published already` : 'as that of its id holds other tools'
  const warning = { path: '', message: `Its tools are in the toolkit '${toolkit}', ${reason}` }
  return { ok: true, value: { ...movedDocument.value, warnings: [...movedDocument.value.warnings, warning] } }
}

/** Lets Machine Context's `calculator` and OXP's `Calculator` both be published unchanged. */
async function findAlternateToolkit(
  { definitions: [first], alternateToolkit }: DecodeResult,
  dialect: string,
  source: PlacementSource,
): Promise<string | undefined> {
  const existing = first && alternateToolkit !== undefined ? await source.loadCurrent(first) : undefined
  const isOtherDialect = existing?.newest !== undefined && existing.newest.source.dialect !== dialect
  return isOtherDialect && existing.toolkit !== first?.toolkit ? alternateToolkit : undefined
}
