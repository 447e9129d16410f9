import { findCoverDenial, type Principal } from '../access/principal.ts'
import { applyGuards } from '../access/guard.ts'
import { type Budget, createBudget, DEFAULT_UNITS } from '../tool/budget.ts'
import type { Codec, DecodeResult, DecodeOptions } from '../tool/codec.ts'
import { createToolRecord, type Sha256 } from '../tool/digest.ts'
import { shortDescription } from '../tool/definition-fields.ts'
import { isJsonArray, isObject, type Json } from '../tool/json.ts'
import { toDerivedName, type ToolName } from '../tool/tool-id.ts'
import { type ParseResult, encodePointerStep, type Problem, quoteList } from '../tool/problem.ts'
import { sanitizeName, sanitizeNames } from '../tool/sanitize-name.ts'
import type { JsonSchema, Definition, ImplementationKind } from '../tool/tool.ts'
import type { ToolSource } from '../tool/tool-source.ts'
import {
  checkDefinition,
  checkImplementation,
  checkSchemas,
  checkStorable,
  checkCombinedSize,
} from './check-definition.ts'
import { checkReadCost } from './check-definition.ts'
import type { Publication } from './registry.ts'
import type { DefinitionSubmission, DocumentSubmission } from './submission.ts'
import { type WrapperFields, parseWrapper } from './publication-body.ts'

/**
 * Turns a submission into tool records, or reports every problem; stores nothing. A document passes, in this order:
 *
 * 1. Wrapper: what stands beside the definition (`publication-body.ts`)
 * 2. Codec: the dialect that is named, else the first that recognizes the document
 * 3. Size, and the cost of reading it
 * 4. Decoding. A document with an id of its own goes to the toolkit where that id is published already, or to another where
 *    tools of another dialect hold the toolkit's name. The publisher hears of that toolkit only if they may publish there
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
  const { codecs, runners, sha256 } = deps
  const problems: Problem[] = []
  const wrapped = isObject(body) && 'definition' in body
  const prefix = wrapped ? '/definition' : ''
  const document = wrapped ? (body.definition ?? null) : body
  const wrapper: WrapperFields = wrapped ? parseWrapper(body, problems) : { decodeOptions: {} }
  const { implementation, tags, guard } = wrapper
  const decodeOptions = { ...defaults, ...wrapper.decodeOptions }
  const likelyCodec = chooseCodec(document, dialect, codecs)
  if (typeof likelyCodec === 'string')
    return { ok: false, problems: [...problems, { path: prefix, message: likelyCodec }] }
  const budget = createBudget(DEFAULT_UNITS, parentBudget)
  const contentProblems = [
    ...checkStorable(document, 'a definition', prefix),
    ...checkReadCost(document, prefix, budget),
  ]
  if (contentProblems.length > 0) return { ok: false, problems: [...problems, ...contentProblems] }
  const firstResult = await decodeWithToolkit(document, decodeOptions, likelyCodec, deps, budget, publisher)
  const otherCodec =
    firstResult.decoded.ok || dialect !== undefined
      ? undefined
      : findOtherCodec(document, decodeOptions, likelyCodec, codecs)
  const codec = otherCodec ?? likelyCodec
  const { decoded, placementWarnings } = otherCodec
    ? await decodeWithToolkit(document, decodeOptions, otherCodec, deps, budget, publisher)
    : firstResult
  if (!decoded.ok)
    return { ok: false, problems: [...problems, ...decoded.problems.map((problem) => withPathPrefix(prefix, problem))] }
  const { schemas, warnings, itself, unpublishable = [], parameterLists } = decoded.value
  problems.push(...unpublishable.map((problem) => withPathPrefix(prefix, problem)))
  const { toolkitDescription: fullDescription } = decoded.value
  const toolkitDescription = fullDescription === undefined ? fullDescription : shortDescription(fullDescription)
  const sizeProblems = checkCombinedSize(decoded.value.definitions, prefix)
  if (sizeProblems.length > 0) return { ok: false, problems: [...problems, ...sizeProblems] }
  const { definitions, warnings: renameWarnings } = await assignNames(decoded.value.definitions, deps.source)
  const sourceNames = decoded.value.sourceNames ?? decoded.value.definitions.map(({ tool }) => tool)
  const chosen = chooseImplementations(definitions, sourceNames, wrapper, runners)
  problems.push(...checkSchemas(schemas, codec.references, prefix, budget), ...chosen.problems)
  if (problems.length > 0) return { ok: false, problems }
  const text = itself || definitions.length > 1 ? JSON.stringify(document) : undefined
  const { dialect: codecDialect } = codec
  const shared = text === undefined ? undefined : { dialect: codecDialect, hash: await sha256(text), text }
  const records = await Promise.all(
    definitions.map((decodedDefinition, index) => {
      const tagged = { ...decodedDefinition, tags: tags ?? decodedDefinition.tags }
      const definition = guard ? applyGuards(tagged, [guard]) : tagged
      const parts = { definition, sourceName: sourceNames[index], implementation: chosen.findImplementation(index) }
      return createToolRecord({ ...parts, dialect: codecDialect, document, hash: shared?.hash }, sha256)
    }),
  )
  const toolkit = definitions[0]?.toolkit ?? ''
  const tools = Object.fromEntries(sourceNames.map((name, index) => [name, definitions[index]?.tool ?? name]))
  const specified = {
    implementation: implementation !== undefined || wrapper.implementations !== undefined,
    tags: tags !== undefined,
    ...(guard ? { guard: true } : {}),
    ...(decodeOptions.toolkit === undefined ? {} : { toolkit: true }),
  }
  // Omitted schemas share one constant, so identity does not tell which is meant
  const findSchemaPath = (target: JsonSchema | null) => {
    const [match, ...duplicates] = schemas.filter(({ schema }) => schema === target)
    return duplicates.length > 0 ? undefined : match?.path
  }
  const schemaPaths = definitions.map(({ input, output }, index) => ({
    input: prefix + (parameterLists?.[index] ?? findSchemaPath(input) ?? '/input'),
    output: prefix + (findSchemaPath(output) ?? ''),
    requirements: `${prefix}/requirements`,
    ...(shared ? { name: sourceNames[index] ?? '' } : {}),
    ...(parameterLists ? { isList: true } : {}),
  }))
  return {
    ok: true,
    value: {
      publication: {
        records,
        schemaPaths,
        ...(shared
          ? { document: { ...shared, toolkit, tools, toolkitDescription, ...(itself ? { itself } : {}) } }
          : {}),
        specified,
        allowBreaking: false,
        toolkitDescription,
      },
      implementationPaths: definitions.map((_, index) => chosen.findPath(index)),
      warnings: [...warnings, ...placementWarnings, ...renameWarnings].map((problem) =>
        withPathPrefix(prefix, problem),
      ),
      ...(dialect === undefined && isToolList(document) ? { readAs: codecDialect } : {}),
    },
  }
}

async function decodeWithToolkit(
  document: Json,
  options: DecodeOptions,
  codec: Codec,
  { source }: PrepareDeps,
  budget: Budget,
  publisher: Principal | undefined,
) {
  const decoded = codec.decode(document, options, budget)
  if (!decoded.ok || !decoded.value.itself || options.toolkit !== undefined) return { decoded, placementWarnings: [] }
  const { id } = decoded.value.itself
  const address = await source.findDocumentAddress(codec.dialect, id)
  const toolkit = address?.toolkit ?? (await chooseAlternateToolkit(decoded.value, codec.dialect, source))
  if (toolkit === undefined || toolkit === decoded.value.definitions[0]?.toolkit)
    return { decoded, placementWarnings: [] }
  // Where the tools of others' documents are is told to nobody who may not publish there
  const anyTool = { toolkit, tool: '*' }
  if (publisher && findCoverDenial(publisher, anyTool, 'tools:publish')) return { decoded, placementWarnings: [] }
  const reason = address ? `where '${id}' is published already` : 'as that of its id holds other tools'
  const placementWarnings = [{ path: '', message: `Its tools are in the toolkit '${toolkit}', ${reason}` }]
  return { decoded: codec.decode(document, { ...options, toolkit }, budget), placementWarnings }
}

/** So that Machine Context's `calculator` and OXP's `Calculator` can both be published as they stand. */
async function chooseAlternateToolkit(
  { definitions: [first], alternateToolkit }: DecodeResult,
  dialect: string,
  source: PrepareDeps['source'],
): Promise<string | undefined> {
  const existing = first && alternateToolkit !== undefined ? await source.loadCurrent(first) : undefined
  const isOtherDialect = existing?.newest !== undefined && existing.newest.source.dialect !== dialect
  return isOtherDialect && existing.toolkit !== first?.toolkit ? alternateToolkit : undefined
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
  const findImplementation = (index: number) => findNamed(index) ?? implementation
  const findPath = (index: number) =>
    findNamed(index) ? `/implementations${encodePointerStep(sourceNames[index] ?? '')}` : '/implementation'
  for (const [index, definition] of definitions.entries()) {
    const selected = findImplementation(index)
    if (selected) problems.push(...checkImplementation(selected, definition, runners, findPath(index)))
  }
  return { findImplementation, findPath, problems }
}

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

export function chooseCodec(document: Json, dialect: string | undefined, codecs: readonly Codec[]): Codec | string {
  const names = quoteList(codecs.map((codec) => codec.dialect))
  const recognizedCodec = isObject(document) ? codecs.find((codec) => codec.recognizes(document)) : undefined
  if (!recognizedCodec && isObject(document) && isJsonArray(document['items']))
    return "Is a list of tools: send its 'items' as an array"
  if (dialect !== undefined) {
    return codecs.find((codec) => codec.dialect === dialect) ?? `Unknown dialect '${dialect}': wanted one of ${names}`
  }
  if (!isObject(document)) return 'Must be a definition, which is an object'
  return (
    recognizedCodec ?? `Cannot detect the dialect of this definition (${names}): set ?dialect= to see what is missing`
  )
}

/** For a list of tools that the dialect it looks like does not take: the first of the others, in their order, that does. */
export function findOtherCodec(
  document: Json,
  options: DecodeOptions,
  likelyCodec: Codec,
  codecs: readonly Codec[],
): Codec | undefined {
  if (!isToolList(document)) return undefined
  const others = codecs.filter((codec) => codec !== likelyCodec && codec.countTools !== undefined)
  return others.find((codec) => codec.decode(document, options).ok)
}

function isToolList(document: Json): boolean {
  return isObject(document) && isJsonArray(document['tools'])
}

/** New names have the characters `[A-Za-z0-9_]`; one that is published with a `-` keeps it. */
export async function assignNames<T extends ToolName & { readonly name: string }>(
  definitions: readonly T[],
  source: Pick<ToolSource, 'loadCurrent' | 'hasToolkit'>,
): Promise<{ readonly definitions: readonly T[]; readonly warnings: readonly Problem[] }> {
  const [first] = definitions
  if (!first || !definitions.some(({ toolkit, tool }) => (toolkit + tool).includes('-')))
    return { definitions, warnings: [] }
  const keepsToolkit = !first.toolkit.includes('-') || (await source.hasToolkit(first.toolkit))
  const toolkit = keepsToolkit ? first.toolkit : sanitizeName(first.toolkit)
  const dashedDefinitions = definitions.filter(({ tool }) => tool.includes('-'))
  const existing = keepsToolkit
    ? await Promise.all(dashedDefinitions.map((definition) => source.loadCurrent(definition)))
    : []
  const existingNames = new Set(existing.flatMap((tool) => (tool ? [tool.tool] : [])))
  const names = sanitizeNames(definitions.map(({ tool }) => tool).filter((tool) => !existingNames.has(tool)))
  const warnings: Problem[] = []
  if (!keepsToolkit)
    warnings.push(warning(`'${first.toolkit}' is no longer a toolkit's name: the toolkit is '${toolkit}'`))
  const renamedDefinitions = definitions.map((definition) => {
    const tool = names.get(definition.tool) ?? definition.tool
    if (tool !== definition.tool)
      warnings.push(warning(`'${definition.tool}' is no longer a tool's name: it is '${tool}'`))
    const isDerivedName = definition.name === toDerivedName(definition)
    const renamed = { ...definition, toolkit, tool }
    return isDerivedName ? { ...renamed, name: toDerivedName(renamed) } : renamed
  })
  return { definitions: renamedDefinitions, warnings }
}

function warning(message: string): Problem {
  return { path: '', message }
}
