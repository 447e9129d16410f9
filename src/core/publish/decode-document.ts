import { covers, type Principal } from '../access/principal.ts'
import type { Codec, DecodeOptions, DecodeResult } from '../tool/codec.ts'
import type { Json } from '../tool/json.ts'
import type { ToolSource } from '../tool/tool-source.ts'

interface DecodeDocumentDeps {
  readonly source: Pick<ToolSource, 'findDocumentAddress' | 'loadCurrent'>
}

/**
 * Decodes a document, and places it in a toolkit unless `options` names one. By default the toolkit has the name that the
 * document gives it. A document with an id of its own (`itself`) goes elsewhere in two cases:
 *
 * - its id is published already: it goes to the toolkit of that id;
 * - tools of another dialect have the toolkit's name: it goes to the codec's alternate name (`calculator` instead of
 *   `Calculator`).
 */
export async function decodeDocument(
  document: Json,
  options: DecodeOptions,
  codec: Codec,
  { source }: DecodeDocumentDeps,
  publisher: Principal | undefined,
) {
  const decoded = codec.decode(document, options)
  const unmoved = { decoded, placementWarnings: [] }
  if (!decoded.ok || !decoded.value.itself || options.toolkit !== undefined) return unmoved
  const { id } = decoded.value.itself
  const address = await source.findDocumentAddress(codec.dialect, id)
  const toolkit = address?.toolkit ?? (await chooseAlternateToolkit(decoded.value, codec.dialect, source))
  if (toolkit === undefined || toolkit === decoded.value.definitions[0]?.toolkit) return unmoved
  // Only those who may publish in a toolkit hear that another publisher's document is there
  const anyTool = { toolkit, tool: '*' }
  if (publisher && !covers(publisher, anyTool, 'tools:publish')) return unmoved
  const reason = address ? `where '${id}' is published already` : 'as that of its id holds other tools'
  const placementWarnings = [{ path: '', message: `Its tools are in the toolkit '${toolkit}', ${reason}` }]
  return { decoded: codec.decode(document, { ...options, toolkit }), placementWarnings }
}

/** Lets Machine Context's `calculator` and OXP's `Calculator` both be published as they stand. */
async function chooseAlternateToolkit(
  { definitions: [first], alternateToolkit }: DecodeResult,
  dialect: string,
  source: DecodeDocumentDeps['source'],
): Promise<string | undefined> {
  const existing = first && alternateToolkit !== undefined ? await source.loadCurrent(first) : undefined
  const isOtherDialect = existing?.newest !== undefined && existing.newest.source.dialect !== dialect
  return isOtherDialect && existing.toolkit !== first?.toolkit ? alternateToolkit : undefined
}
