import { applyGuards } from '../access/guard.ts'
import { type Budget, createBudget } from '../tool/budget.ts'
import type { Codec, EncodeResult } from '../tool/codec.ts'
import { createToolRecord, type Sha256 } from '../tool/digest.ts'
import type { Json } from '../tool/json.ts'
import { type ParseResult, parseFailure } from '../tool/problem.ts'
import { chooseCodec, otherReader } from './prepare.ts'
import type { ExportFormat } from './export.ts'
import { checkSchemas, checkStorable, checkReadCost } from './check-definition.ts'
import type { WrapperFields } from './publication-body.ts'

interface ConvertOptions {
  readonly from?: string | undefined
  readonly to: ExportFormat
  readonly beside: Pick<WrapperFields, 'given' | 'tags' | 'guard'>
}

/** Several tools that the target writes one by one give an array, and a loss's path starts at its tool. */
export async function convert(
  document: Json,
  { from, to, beside: { given, tags, guard } }: ConvertOptions,
  codecs: readonly Codec[],
  sha256: Sha256,
  budget: Budget = createBudget(),
): Promise<ParseResult<EncodeResult>> {
  const likely = chooseCodec(document, from, codecs)
  if (typeof likely === 'string') return parseFailure(likely)
  // Not stored, so the reader of the body alone bounds its size
  const unfit = [...checkStorable(document, 'a definition', '', Infinity), ...checkReadCost(document, '', budget)]
  if (unfit.length > 0) return { ok: false, problems: unfit }
  const guess = likely.decode(document, given, budget)
  const other = guess.ok || from !== undefined ? undefined : otherReader(document, given, likely, codecs)
  const codec = other ?? likely
  const decoded = other ? other.decode(document, given, budget) : guess
  if (!decoded.ok) return decoded
  const problems = checkSchemas(decoded.value.schemas, codec.references, '', budget)
  if (problems.length > 0) return { ok: false, problems }
  const records = await Promise.all(
    decoded.value.definitions.map((each) => {
      const definition = applyGuards({ ...each, tags: tags ?? each.tags }, guard ? [guard] : [])
      return createToolRecord({ definition, dialect: codec.dialect, document }, sha256)
    }),
  )
  const encoded: EncodeResult[] = []
  for (const record of records) {
    const written = to(record, record.name, budget)
    if (!written.ok) return written
    encoded.push(written.value)
  }
  const [first] = encoded
  const texts = new Set(encoded.map((each) => JSON.stringify(each.document)))
  if (first && texts.size === 1) {
    const losses = new Map(encoded.flatMap((each) => each.losses.map((loss) => [`${loss.path} ${loss.reason}`, loss])))
    return { ok: true, value: { document: first.document, losses: [...losses.values()] } }
  }
  const losses = encoded.flatMap((each, index) =>
    each.losses.map(({ path, reason }) => ({ path: `/${index}${path}`, reason })),
  )
  return { ok: true, value: { document: encoded.map(({ document: written }) => written), losses } }
}
