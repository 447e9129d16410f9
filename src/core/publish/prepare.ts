import type { Codec } from '../tool/codec.ts'
import type { Sha256 } from '../tool/digest.ts'
import { isObject } from '../tool/json.ts'
import type { Checked, Problem } from '../tool/problem.ts'
import type { ImplementationKind, ToolRecord } from '../tool/tool.ts'
import { chooseCodec } from './choose-codec.ts'
import { judgeId, judgeImplementation, judgeSchemas, judgeText } from './judge.ts'
import { recordOf } from './record.ts'
import type { Publication } from './registry.ts'
import type { DefinedSubmission, DefinedTool, DocumentSubmission } from './submission.ts'
import { type Beside, readWrapper } from './wrapper.ts'

/** The largest complete definition, in bytes: as large as its document, and as what its publisher says beside it. */
const MAX_COMPLETE_BYTES = 512 * 1024

export interface PrepareDeps {
  /** In the order in which they are asked whether they recognise a document. */
  readonly codecs: readonly Codec[]
  /** The kinds of implementation that may arrive at run time. */
  readonly runners: ReadonlyMap<string, ImplementationKind>
  readonly sha256: Sha256
}

/** What a submission came to when nothing is wrong with it. */
export interface Prepared {
  readonly records: readonly ToolRecord[]
  readonly given: Publication['given']
  readonly warnings: readonly Problem[]
  /** Of an import's tool. */
  readonly state?: ImportState
}

/** How an import's tool compares with what is published. `unchanged`: it is published already as it is. */
export type ImportState = 'new' | 'changed' | 'unchanged'

/**
 * Judges a document by its dialect's rules, its schemas by the bounds of publication, and its implementation by the
 * runner it names. Gives everything that is wrong at once; paths of problems start at the body.
 */
export async function prepareDocument(
  { body, dialect }: DocumentSubmission,
  { codecs, runners, sha256 }: PrepareDeps,
): Promise<Checked<Prepared>> {
  const problems: Problem[] = []
  const wrapped = isObject(body) && 'definition' in body
  const prefix = wrapped ? '/definition' : ''
  const document = wrapped ? (body.definition ?? null) : body
  const { given, implementation, tags }: Beside = wrapped ? readWrapper(body, problems) : { given: {} }
  const codec = chooseCodec(document, dialect, codecs)
  if (typeof codec === 'string') return { ok: false, problems: [...problems, { path: prefix, message: codec }] }
  const unfit = judgeText(document, 'a definition', prefix)
  if (unfit.length > 0) return { ok: false, problems: [...problems, ...unfit] }
  const decoded = codec.decode(document, given)
  if (!decoded.ok) return { ok: false, problems: [...problems, ...decoded.problems.map((each) => under(prefix, each))] }
  const { definitions, schemas, warnings } = decoded.value
  problems.push(...judgeSchemas(schemas, codec.references, prefix))
  if (implementation) {
    problems.push(...definitions.flatMap((definition) => judgeImplementation(implementation, definition, runners)))
  }
  if (problems.length > 0) return { ok: false, problems }
  const records = await Promise.all(
    definitions.map((each) => {
      const definition = { ...each, tags: tags ?? each.tags }
      return recordOf({ definition, implementation, dialect: codec.dialect, document }, sha256)
    }),
  )
  const said = { implementation: implementation !== undefined, tags: tags !== undefined }
  return { ok: true, value: { records, given: said, warnings: warnings.map((each) => under(prefix, each)) } }
}

/** Judges complete definitions and their implementations as a document's are, and gives everything that is wrong at once. */
export async function prepareDefined(
  { tools, warnings }: DefinedSubmission,
  { runners, sha256 }: PrepareDeps,
): Promise<Checked<Prepared>> {
  const problems = tools.flatMap((tool) => judgeTool(tool, runners))
  if (problems.length > 0) return { ok: false, problems }
  const records = await Promise.all(tools.map((tool) => recordOf(tool, sha256)))
  return { ok: true, value: { records, given: { implementation: true, tags: false }, warnings } }
}

function judgeTool(
  { definition, implementation, document, schemaPaths }: DefinedTool,
  runners: PrepareDeps['runners'],
): readonly Problem[] {
  const problems = [...judgeId(definition), ...judgeText(implementation, 'an implementation', '/implementation')]
  const unfit = judgeText(document, 'a definition', '/definition')
  if (unfit.length > 0) return [...problems, ...unfit]
  const { input, output } = definition
  const schemas = [
    { path: schemaPaths.input, schema: input },
    ...(output === null ? [] : [{ path: schemaPaths.output, schema: output }]),
  ]
  return [
    ...problems,
    ...judgeText(definition, 'a complete definition', '', MAX_COMPLETE_BYTES),
    ...judgeSchemas(schemas, 'local', ''),
    ...judgeImplementation(implementation, definition, runners),
  ]
}

function under(prefix: string, { path, message }: Problem): Problem {
  return { path: `${prefix}${path}`, message }
}
