import { createBudget } from '../tool/budget.ts'
import type { Codec, EncodeResult } from '../tool/codec.ts'
import { createToolRecord, type Sha256 } from '../tool/digest.ts'
import type { Json } from '../tool/json.ts'
import type { ParseResult } from '../tool/problem.ts'
import { decodeDocument } from './decode-document.ts'
import type { ExportFormat } from './export.ts'
import { checkSchemas } from './check-definition.ts'
import { applyWrapper, type WrapperFields } from './publication-body.ts'

interface ConvertOptions {
  readonly from?: string | undefined
  readonly to: ExportFormat
  readonly wrapper: Pick<WrapperFields, 'decodeOptions' | 'tags' | 'guard'>
}

/** Converts a document. If its tools are written differently, returns an array, and paths of losses start with the index. */
export async function convert(
  document: Json,
  { from, to, wrapper }: ConvertOptions,
  codecs: readonly Codec[],
  sha256: Sha256,
): Promise<ParseResult<EncodeResult>> {
  const budget = createBudget()
  const decodeOptions = { ...wrapper.decodeOptions, budget }
  // The document is not stored, so only the reader of the body limits its size
  const read = decodeDocument(document, { dialect: from, decodeOptions, maxBytes: Infinity }, codecs)
  if (!read.ok) return read
  const { codec, decoded } = read.value
  const problems = checkSchemas(decoded.schemas, codec.references, budget)
  if (problems.length > 0) return { ok: false, problems }
  const records = await Promise.all(
    decoded.definitions.map((decodedDefinition) => {
      const definition = applyWrapper(decodedDefinition, wrapper)
      return createToolRecord({ definition, dialect: codec.dialect, document }, sha256)
    }),
  )
  const encodeResults: EncodeResult[] = []
  for (const record of records) {
    const result = to(record, record.name, budget)
    if (!result.ok) return result
    encodeResults.push(result.value)
  }
  const [first] = encodeResults
  const distinctTexts = new Set(encodeResults.map((result) => JSON.stringify(result.document)))
  if (first && distinctTexts.size === 1) {
    const losses = new Map(
      encodeResults.flatMap((result) => result.losses.map((loss) => [`${loss.path} ${loss.reason}`, loss])),
    )
    return { ok: true, value: { document: first.document, losses: [...losses.values()] } }
  }
  const losses = encodeResults.flatMap((result, index) =>
    result.losses.map(({ path, reason }) => ({ path: `/${index}${path}`, reason })),
  )
  return {
    ok: true,
    value: { document: encodeResults.map(({ document: encodedDocument }) => encodedDocument), losses },
  }
}
