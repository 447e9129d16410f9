import type { Principal } from '../access/principal.ts'
import { applyGuards } from '../access/guard.ts'
import type { SchemaPaths } from '../schema/compatibility.ts'
import { createBudget, DEFAULT_UNITS } from '../tool/budget.ts'
import type { Codec, DecodeResult } from '../tool/codec.ts'
import { createToolRecord, type Sha256 } from '../tool/digest.ts'
import { shortDescription } from '../tool/definition-fields.ts'
import { isObject, type Json } from '../tool/json.ts'
import { type ParseResult, encodePointerStep, type Problem, quoteList } from '../tool/problem.ts'
import type { JsonSchema, Definition, Implementation, ImplementationKind, ToolRecord } from '../tool/tool.ts'
import type { ToolSource } from '../tool/tool-source.ts'
import { assignNames } from './assign-names.ts'
import { decodeDocument } from './decode-document.ts'
import {
  checkDefinition,
  checkImplementation,
  checkReadCost,
  checkSchemas,
  checkStorable,
  checkCombinedSize,
} from './check-definition.ts'
import { chooseCodec, findOtherCodec, isToolList } from './choose-codec.ts'
import type { DefinitionDocument, Publication } from './registry.ts'
import type { DefinitionSubmission, DocumentSubmission } from './submission.ts'
import { type WrapperFields, parseWrapper } from './publication-body.ts'

/**
 * Turns a submission into tool records, or reports every problem; stores nothing. A document passes, in this order:
 *
 * 1. Wrapper: what stands beside the definition (`publication-body.ts`)
 * 2. Codec: the dialect that is named, else the first that recognizes the document
 * 3. Size, and the cost of reading it
 * 4. Decoding, and the toolkit of a document that has an id of its own (`decode-document.ts`)
 * 5. For a list of tools that the codec refuses: the first other codec that takes it
 * 6. Names: new ones have no `-`
 * 7. An implementation for each tool, then the schemas
 * 8. Records, with digests over RFC 8785 JSON
 *
 * A document that defines several tools, or has an id of its own, is stored once, and records refer to it by its hash.
 * Paths of problems point into what was sent.
 */

export interface PrepareDeps {
  readonly codecs: readonly Codec[]
  readonly runners: ReadonlyMap<string, ImplementationKind>
  readonly sha256: Sha256
  readonly source: Pick<ToolSource, 'findDocumentAddress' | 'loadCurrent' | 'hasToolkit'>
}

/** `implementationPaths` has one for each record. `state` is of an import. */
export interface PreparedSubmission {
  readonly publication: Publication
  readonly implementationPaths: readonly string[]
  readonly warnings: readonly Problem[]
  readonly state?: ImportState
  /** The dialect of a list of tools, which those of two dialects look like. */
  readonly readAs?: string
}

export type ImportState = 'new' | 'changed' | 'unchanged'

export async function prepareDocument(
  { body, dialect, decodeOptions: defaults, budget: parentBudget }: DocumentSubmission,
  deps: PrepareDeps,
  publisher?: Principal,
): Promise<ParseResult<PreparedSubmission>> {
  const { prefix, document, wrapper, problems } = unwrap(body)
  const budget = createBudget(DEFAULT_UNITS, parentBudget)
  const decodeOptions = { ...defaults, ...wrapper.decodeOptions, budget }
  const likelyCodec = chooseCodec(document, dialect, deps.codecs)
  if (typeof likelyCodec === 'string')
    return { ok: false, problems: [...problems, { path: prefix, message: likelyCodec }] }
  const contentProblems = [
    ...checkStorable(document, 'a definition', prefix),
    ...checkReadCost(document, prefix, budget),
  ]
  if (contentProblems.length > 0) return { ok: false, problems: [...problems, ...contentProblems] }

  const decodeWith = (codec: Codec) => decodeDocument(document, decodeOptions, codec, deps, publisher)
  let codec = likelyCodec
  let { decoded, placementWarnings } = await decodeWith(codec)
  if (!decoded.ok && dialect === undefined) {
    codec = findOtherCodec(document, decodeOptions, likelyCodec, deps.codecs) ?? likelyCodec
    if (codec !== likelyCodec) ({ decoded, placementWarnings } = await decodeWith(codec))
  }
  if (!decoded.ok)
    return { ok: false, problems: [...problems, ...decoded.problems.map((problem) => withPathPrefix(prefix, problem))] }

  const { schemas, unpublishable = [] } = decoded.value
  problems.push(...unpublishable.map((problem) => withPathPrefix(prefix, problem)))
  const sizeProblems = checkCombinedSize(decoded.value.definitions, prefix)
  if (sizeProblems.length > 0) return { ok: false, problems: [...problems, ...sizeProblems] }

  const { definitions, warnings: renameWarnings } = await assignNames(decoded.value.definitions, deps.source)
  const sourceNames = decoded.value.sourceNames ?? decoded.value.definitions.map(({ tool }) => tool)
  const implementations = chooseImplementations(definitions, sourceNames, wrapper, deps.runners)
  problems.push(...checkSchemas(schemas, codec.references, prefix, budget), ...implementations.problems)
  if (problems.length > 0) return { ok: false, problems }

  const { dialect: codecDialect } = codec
  const namedDocument = { document, dialect: codecDialect, decoded: decoded.value, definitions, sourceNames }
  const sharedDocument = await createSharedDocument(namedDocument, deps.sha256)
  const records = await createRecords(namedDocument, wrapper, implementations.find, sharedDocument?.hash, deps.sha256)
  const warnings = [...decoded.value.warnings, ...placementWarnings, ...renameWarnings]
  return {
    ok: true,
    value: {
      publication: {
        records,
        schemaPaths: locateSchemas(namedDocument, prefix, sharedDocument !== undefined),
        ...(sharedDocument ? { document: sharedDocument } : {}),
        specified: {
          implementation: wrapper.implementation !== undefined || wrapper.implementations !== undefined,
          tags: wrapper.tags !== undefined,
          ...(wrapper.guard ? { guard: true } : {}),
          ...(decodeOptions.toolkit === undefined ? {} : { toolkit: true }),
        },
        allowBreaking: false,
        toolkitDescription: shortDescription(decoded.value.toolkitDescription),
      },
      implementationPaths: definitions.map((_, index) => implementations.findPath(index)),
      warnings: warnings.map((problem) => withPathPrefix(prefix, problem)),
      ...(dialect === undefined && isToolList(document) ? { readAs: codec.dialect } : {}),
    },
  }
}

/** The problems are those of the wrapper; paths in the document begin with `prefix`. */
function unwrap(body: Json) {
  const problems: Problem[] = []
  if (!isObject(body) || !('definition' in body)) {
    const wrapper: WrapperFields = { decodeOptions: {} }
    return { prefix: '', document: body, wrapper, problems }
  }
  const wrapper = parseWrapper(body, problems)
  return { prefix: '/definition', document: body.definition ?? null, wrapper, problems }
}

function chooseImplementations(
  definitions: readonly Definition[],
  sourceNames: readonly string[],
  { implementation, implementations = {} }: WrapperFields,
  runners: PrepareDeps['runners'],
) {
  const findNamed = (index: number) => {
    const name = sourceNames[index] ?? ''
    return Object.hasOwn(implementations, name) ? implementations[name] : undefined
  }
  const problems = Object.keys(implementations)
    .filter((name) => !sourceNames.includes(name))
    .map((name) => {
      const message = `The definition has no '${name.slice(0, 100)}': wanted one of ${quoteList(sourceNames.slice(0, 20))}`
      return { path: `/implementations${encodePointerStep(name)}`, message }
    })
  const find = (index: number) => findNamed(index) ?? implementation
  const findPath = (index: number) =>
    findNamed(index) ? `/implementations${encodePointerStep(sourceNames[index] ?? '')}` : '/implementation'
  for (const [index, definition] of definitions.entries()) {
    const selected = find(index)
    if (selected) problems.push(...checkImplementation(selected, definition, runners, findPath(index)))
  }
  return { find, findPath, problems }
}

/** A document that was read, with the definitions as they are called here, and each one's name in the document. */
interface NamedDocument {
  readonly document: Json
  readonly dialect: string
  readonly decoded: DecodeResult
  readonly definitions: readonly Definition[]
  readonly sourceNames: readonly string[]
}

/** A document that defines one tool, and has no id of its own, is stored in the tool's record alone. */
async function createSharedDocument(
  { document, dialect, decoded, definitions, sourceNames }: NamedDocument,
  sha256: Sha256,
): Promise<DefinitionDocument | undefined> {
  const { itself } = decoded
  if (!itself && definitions.length <= 1) return undefined
  const text = JSON.stringify(document)
  return {
    dialect,
    hash: await sha256(text),
    text,
    toolkit: definitions[0]?.toolkit ?? '',
    tools: Object.fromEntries(sourceNames.map((name, index) => [name, definitions[index]?.tool ?? name])),
    toolkitDescription: shortDescription(decoded.toolkitDescription),
    ...(itself ? { itself } : {}),
  }
}

function createRecords(
  { document, dialect, definitions, sourceNames }: NamedDocument,
  { tags, guard }: WrapperFields,
  findImplementation: (index: number) => Implementation | undefined,
  hash: string | undefined,
  sha256: Sha256,
): Promise<readonly ToolRecord[]> {
  return Promise.all(
    definitions.map((namedDefinition, index) => {
      const tagged = { ...namedDefinition, tags: tags ?? namedDefinition.tags }
      const definition = guard ? applyGuards(tagged, [guard]) : tagged
      const parts = { definition, sourceName: sourceNames[index], implementation: findImplementation(index) }
      return createToolRecord({ ...parts, dialect, document, hash }, sha256)
    }),
  )
}

function locateSchemas(
  { decoded: { schemas, parameterLists }, definitions, sourceNames }: NamedDocument,
  prefix: string,
  isShared: boolean,
): readonly SchemaPaths[] {
  // Tools that declare no schema share one constant object. Then several tools match, and the path is not known
  const findPath = (target: JsonSchema | null) => {
    const [match, ...duplicates] = schemas.filter(({ schema }) => schema === target)
    return duplicates.length > 0 ? undefined : match?.path
  }
  return definitions.map(({ input, output }, index) => ({
    input: prefix + (parameterLists?.[index] ?? findPath(input) ?? '/input'),
    output: prefix + (findPath(output) ?? ''),
    requirements: `${prefix}/requirements`,
    ...(isShared ? { name: sourceNames[index] ?? '' } : {}),
    ...(parameterLists ? { isList: true } : {}),
  }))
}

/** Checks, names and records definitions that importers and plugins made. */
export async function prepareDefinitions(
  { tools, warnings, isGuarded, budget: parentBudget }: DefinitionSubmission,
  { runners, sha256, source }: PrepareDeps,
): Promise<ParseResult<PreparedSubmission>> {
  const budget = createBudget(DEFAULT_UNITS, parentBudget)
  const definitions = tools.map(({ definition }) => definition)
  const sizeProblems = checkCombinedSize(definitions, '')
  const problems =
    sizeProblems.length > 0 ? sizeProblems : tools.flatMap((tool) => checkDefinition(tool, runners, budget))
  if (problems.length > 0) return { ok: false, problems }
  const namedDefinitions = await assignNames(definitions, source)
  const records = await Promise.all(
    tools.map((tool, index) => {
      return createToolRecord({ ...tool, definition: namedDefinitions.definitions[index] ?? tool.definition }, sha256)
    }),
  )
  const specified = { implementation: true, tags: false, ...(isGuarded ? { guard: true } : {}) }
  const schemaPaths = tools.map(({ schemaPaths }) => schemaPaths)
  return {
    ok: true,
    value: {
      publication: { records, schemaPaths, specified, allowBreaking: false },
      implementationPaths: tools.map(() => '/implementation'),
      warnings: [...warnings, ...namedDefinitions.warnings],
    },
  }
}

function withPathPrefix(prefix: string, { path, message }: Problem): Problem {
  return { path: `${prefix}${path}`, message }
}
