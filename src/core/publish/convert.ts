import { guarded } from '../access/guard.ts'
import { type Budget, createBudget } from '../tool/budget.ts'
import type { Codec, Encoded } from '../tool/codec.ts'
import { recordOf, type Sha256 } from '../tool/digest.ts'
import type { Json } from '../tool/json.ts'
import { type Checked, refused } from '../tool/problem.ts'
import { chooseCodec, otherReader } from './prepare.ts'
import type { Format } from './export.ts'
import { judgeSchemas, judgeText, judgeWork } from './definition-rules.ts'
import type { Beside } from './wrapper.ts'

export interface ConvertOptions {
  readonly from?: string | undefined
  readonly to: Format
  readonly beside: Pick<Beside, 'given' | 'tags' | 'guard'>
}

/** Several tools that the target writes one by one give an array, and a loss's path starts at its tool. */
export async function convert(
  document: Json,
  { from, to, beside: { given, tags, guard } }: ConvertOptions,
  codecs: readonly Codec[],
  sha256: Sha256,
  budget: Budget = createBudget(),
): Promise<Checked<Encoded>> {
  const likely = chooseCodec(document, from, codecs)
  if (typeof likely === 'string') return refused(likely)
  // Not stored, so the reader of the body alone bounds its size
  const unfit = [...judgeText(document, 'a definition', '', Infinity), ...judgeWork(document, '', budget)]
  if (unfit.length > 0) return { ok: false, problems: unfit }
  const guess = likely.decode(document, given, budget)
  const other = guess.ok || from !== undefined ? undefined : otherReader(document, given, likely, codecs)
  const codec = other ?? likely
  const decoded = other ? other.decode(document, given, budget) : guess
  if (!decoded.ok) return decoded
  const problems = judgeSchemas(decoded.value.schemas, codec.references, '', budget)
  if (problems.length > 0) return { ok: false, problems }
  const records = await Promise.all(
    decoded.value.definitions.map((each) => {
      const definition = guarded({ ...each, tags: tags ?? each.tags }, guard ? [guard] : [])
      return recordOf({ definition, dialect: codec.dialect, document }, sha256)
    }),
  )
  const encoded: Encoded[] = []
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
