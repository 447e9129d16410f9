import { applyGuards } from '../access/guard.ts'
import { createBudget } from '../tool/budget.ts'
import type { Codec, EncodeResult } from '../tool/codec.ts'
import { createToolRecord, type Sha256 } from '../tool/digest.ts'
import type { Json } from '../tool/json.ts'
import { type ParseResult, parseFailure } from '../tool/problem.ts'
import { chooseCodec, findOtherCodec } from './choose-codec.ts'
import type { ExportFormat } from './export.ts'
import { checkSchemas, checkStorable, checkReadCost } from './check-definition.ts'
import type { WrapperFields } from './publication-body.ts'

interface ConvertOptions {
  readonly from?: string | undefined
  readonly to: ExportFormat
  readonly wrapper: Pick<WrapperFields, 'decodeOptions' | 'tags' | 'guard'>
}

/** Several tools that the target writes one by one give an array, and a loss's path starts at its tool. */
export async function convert(
  document: Json,
  { from, to, wrapper: { decodeOptions, tags, guard } }: ConvertOptions,
  codecs: readonly Codec[],
  sha256: Sha256,
): Promise<ParseResult<EncodeResult>> {
  const likelyCodec = chooseCodec(document, from, codecs)
  if (typeof likelyCodec === 'string') return parseFailure(likelyCodec)
  const budget = createBudget()
  const options = { ...decodeOptions, budget }
  // The document is not stored, so only the reader of the body bounds its size
  const sizeProblems = [
    ...checkStorable(document, 'a definition', '', Infinity),
    ...checkReadCost(document, '', budget),
  ]
  if (sizeProblems.length > 0) return { ok: false, problems: sizeProblems }
  const firstResult = likelyCodec.decode(document, options)
  const otherCodec =
    firstResult.ok || from !== undefined ? undefined : findOtherCodec(document, options, likelyCodec, codecs)
  const codec = otherCodec ?? likelyCodec
  const decoded = otherCodec ? otherCodec.decode(document, options) : firstResult
  if (!decoded.ok) return decoded
  const problems = checkSchemas(decoded.value.schemas, codec.references, '', budget)
  if (problems.length > 0) return { ok: false, problems }
  const records = await Promise.all(
    decoded.value.definitions.map((decodedDefinition) => {
      const definition = applyGuards(
        { ...decodedDefinition, tags: tags ?? decodedDefinition.tags },
        guard ? [guard] : [],
      )
      return createToolRecord({ definition, dialect: codec.dialect, document }, sha256)
    }),
  )
  const encoded: EncodeResult[] = []
  for (const record of records) {
    const result = to(record, record.name, budget)
    if (!result.ok) return result
    encoded.push(result.value)
  }
  const [first] = encoded
  const distinctTexts = new Set(encoded.map((result) => JSON.stringify(result.document)))
  if (first && distinctTexts.size === 1) {
    const losses = new Map(
      encoded.flatMap((result) => result.losses.map((loss) => [`${loss.path} ${loss.reason}`, loss])),
    )
    return { ok: true, value: { document: first.document, losses: [...losses.values()] } }
  }
  const losses = encoded.flatMap((result, index) =>
    result.losses.map(({ path, reason }) => ({ path: `/${index}${path}`, reason })),
  )
  return { ok: true, value: { document: encoded.map(({ document: encodedDocument }) => encodedDocument), losses } }
}
