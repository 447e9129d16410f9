import { createBudget } from '../tool/budget.ts'
import { canonicalJson, digestOf } from '../tool/digest.ts'
import { parseJson } from '../tool/json.ts'
import type { Checked, Problem } from '../tool/problem.ts'
import type { Definition } from '../tool/tool.ts'
import { judgeComplete, judgeTogether } from './judge.ts'
import type { Prepared, PrepareDeps } from './prepare.ts'
import type { KeptDocument } from './registry.ts'
import type { RestoredSubmission } from './submission.ts'

const SCHEMA_PATHS = { input: '/record/input', output: '/record/output' }

/**
 * Judges versions that another registry had as their publication was judged, by the rules of now; and that they are what they
 * say they are: the digest is made anew, and a document that they name must be the one beside them. They keep their names.
 */
export async function prepareRestored(
  { restored, document }: RestoredSubmission,
  { codecs, runners, sha256 }: Pick<PrepareDeps, 'codecs' | 'runners' | 'sha256'>,
): Promise<Checked<Prepared>> {
  const records = restored.map(({ record }) => record)
  const problems: Problem[] = [...judgeTogether(records, ''), ...judgeItself(document, codecs)]
  if (restored.some(({ publisher }) => publisher.principal === 'bundle')) {
    problems.push({ path: '/publisher/principal', message: "Must be 'bundle' of bundled tools alone" })
  }
  for (const record of records) {
    const { digest, source, ...visible } = record
    const { implementation, called: _, id: __, ...definition } = visible
    const references = codecs.find((codec) => codec.dialect === source.dialect)?.references ?? 'local'
    const judged = {
      definition: definition satisfies Definition,
      implementation,
      document: source.document ?? null,
      schemaPaths: SCHEMA_PATHS,
      references,
    }
    problems.push(
      ...judgeComplete(judged, runners, createBudget()).map((each) => ({ ...each, path: placeOf(each.path) })),
    )
    if (source.hash !== undefined && source.hash !== document?.hash) {
      problems.push({ path: '/record/source/hash', message: 'Must be the hash of the document before it' })
    }
    if (problems.length > 0) return { ok: false, problems }
    const made = await digestOf(visible, sha256)
    if (made !== digest) problems.push({ path: '/record/digest', message: `Must be '${made}', which is its digest` })
  }
  if (problems.length > 0) return { ok: false, problems }
  return {
    ok: true,
    value: {
      records,
      ...(document ? { document } : {}),
      given: { implementation: true, tags: true, toolkit: true },
      inputs: records.map(() => SCHEMA_PATHS.input),
      implementedAt: records.map(() => '/record/implementation'),
      standings: restored.map(({ status, held, unreviewed, publisher }) => ({ status, held, unreviewed, publisher })),
      warnings: [],
    },
  }
}

/** Judges that a document with an id of its own calls itself, and its tools, what the line says. */
function judgeItself(document: KeptDocument | undefined, codecs: PrepareDeps['codecs']): readonly Problem[] {
  if (!document?.itself) return []
  const { dialect, text, itself, toolkit, tools } = document
  const parsed = parseJson(text)
  const codec = codecs.find((each) => each.dialect === dialect)
  const decoded = codec?.decode(parsed ?? null, { toolkit, version: itself.version })
  if (!decoded?.ok) return [{ path: '', message: `The document before it is none of the dialect '${dialect}'` }]
  const { definitions, called = definitions.map(({ tool }) => tool) } = decoded.value
  const isSo = canonicalJson(decoded.value.itself ?? null) === canonicalJson(itself)
  const isOfThese = canonicalJson(called.toSorted()) === canonicalJson(Object.keys(tools).toSorted())
  return isSo && isOfThese ? [] : [{ path: '', message: 'The document before it says otherwise than its line' }]
}

function placeOf(path: string): string {
  return path.startsWith('/record') || path === '' ? path : `/record${path}`
}
