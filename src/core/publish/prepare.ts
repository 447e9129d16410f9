import { findCoverDenial, type Principal } from '../access/principal.ts'
import { applyGuards } from '../access/guard.ts'
import type { SchemaPaths } from '../schema/compatibility.ts'
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

export interface PrepareDeps {
  readonly codecs: readonly Codec[]
  readonly runners: ReadonlyMap<string, ImplementationKind>
  readonly sha256: Sha256
  readonly source: Pick<ToolSource, 'findDocumentAddress' | 'loadCurrent' | 'hasToolkit'>
}

export interface PreparedSubmission extends Pick<Publication, 'records' | 'document' | 'given'> {
  readonly warnings: readonly Problem[]
  readonly places: readonly SchemaPaths[]
  readonly implementationPaths: readonly string[]
  readonly state?: ImportState
  readonly toolkitDescription?: string | undefined
  /** The dialect of a list of tools, which those of two dialects look like. */
  readonly readAs?: string
}

export type ImportState = 'new' | 'changed' | 'unchanged'

export async function prepareDocument(
  { body, dialect, given: defaults, budget: whole }: DocumentSubmission,
  deps: PrepareDeps,
  publisher?: Principal,
): Promise<ParseResult<PreparedSubmission>> {
  const { codecs, runners, sha256 } = deps
  const problems: Problem[] = []
  const wrapped = isObject(body) && 'definition' in body
  const prefix = wrapped ? '/definition' : ''
  const document = wrapped ? (body.definition ?? null) : body
  const beside: WrapperFields = wrapped ? parseWrapper(body, problems) : { given: {} }
  const { implementation, tags, guard } = beside
  const given = { ...defaults, ...beside.given }
  const likely = chooseCodec(document, dialect, codecs)
  if (typeof likely === 'string') return { ok: false, problems: [...problems, { path: prefix, message: likely }] }
  const budget = createBudget(DEFAULT_UNITS, whole)
  const unfit = [...checkStorable(document, 'a definition', prefix), ...checkReadCost(document, prefix, budget)]
  if (unfit.length > 0) return { ok: false, problems: [...problems, ...unfit] }
  const first = await decodeWithToolkit(document, given, likely, deps, budget, publisher)
  const other = first.decoded.ok || dialect !== undefined ? undefined : otherReader(document, given, likely, codecs)
  const codec = other ?? likely
  const { decoded, placed } = other ? await decodeWithToolkit(document, given, other, deps, budget, publisher) : first
  if (!decoded.ok)
    return { ok: false, problems: [...problems, ...decoded.problems.map((each) => withPathPrefix(prefix, each))] }
  const { schemas, warnings, itself, unpublishable = [], parameterLists } = decoded.value
  problems.push(...unpublishable.map((each) => withPathPrefix(prefix, each)))
  const { toolkitDescription: about } = decoded.value
  const toolkitDescription = about === undefined ? about : shortDescription(about)
  const sizeProblems = checkCombinedSize(decoded.value.definitions, prefix)
  if (sizeProblems.length > 0) return { ok: false, problems: [...problems, ...sizeProblems] }
  const { definitions, warnings: renameWarnings } = await assignNames(decoded.value.definitions, deps.source)
  const called = decoded.value.called ?? decoded.value.definitions.map(({ tool }) => tool)
  const {
    implementationOf: findImplementation,
    placeOf: findImplementationPath,
    problems: implementationProblems,
  } = chooseImplementations(definitions, called, beside, runners)
  problems.push(...checkSchemas(schemas, codec.references, prefix, budget), ...implementationProblems)
  if (problems.length > 0) return { ok: false, problems }
  const text = itself || definitions.length > 1 ? JSON.stringify(document) : undefined
  const { dialect: codecDialect } = codec
  const shared = text === undefined ? undefined : { dialect: codecDialect, hash: await sha256(text), text }
  const records = await Promise.all(
    definitions.map((each, index) => {
      const tagged = { ...each, tags: tags ?? each.tags }
      const definition = guard ? applyGuards(tagged, [guard]) : tagged
      const own = { definition, called: called[index], implementation: findImplementation(index) }
      return createToolRecord({ ...own, dialect: codecDialect, document, hash: shared?.hash }, sha256)
    }),
  )
  const toolkit = definitions[0]?.toolkit ?? ''
  const tools = Object.fromEntries(called.map((name, index) => [name, definitions[index]?.tool ?? name]))
  const said = {
    implementation: implementation !== undefined || beside.implementations !== undefined,
    tags: tags !== undefined,
    ...(guard ? { guard: true } : {}),
    ...(given.toolkit === undefined ? {} : { toolkit: true }),
  }
  // Schemas that are left out are one object
  const findSchemaPath = (wanted: JsonSchema | null) => {
    const [found, ...others] = schemas.filter(({ schema }) => schema === wanted)
    return others.length > 0 ? undefined : found?.path
  }
  return {
    ok: true,
    value: {
      records,
      ...(shared ? { document: { ...shared, toolkit, tools, toolkitDescription, ...(itself ? { itself } : {}) } } : {}),
      given: said,
      places: definitions.map(({ input, output }, index) => ({
        input: prefix + (parameterLists?.[index] ?? findSchemaPath(input) ?? '/input'),
        output: prefix + (findSchemaPath(output) ?? ''),
        requirements: `${prefix}/requirements`,
        ...(shared ? { name: called[index] ?? '' } : {}),
        ...(parameterLists ? { isList: true } : {}),
      })),
      implementationPaths: definitions.map((_, index) => findImplementationPath(index)),
      warnings: [...warnings, ...placed, ...renameWarnings].map((each) => withPathPrefix(prefix, each)),
      toolkitDescription,
      ...(dialect === undefined && isToolList(document) ? { readAs: codecDialect } : {}),
    },
  }
}

async function decodeWithToolkit(
  document: Json,
  given: DecodeOptions,
  codec: Codec,
  { source }: PrepareDeps,
  budget: Budget,
  publisher: Principal | undefined,
) {
  const decoded = codec.decode(document, given, budget)
  if (!decoded.ok || !decoded.value.itself || given.toolkit !== undefined) return { decoded, placed: [] }
  const { id } = decoded.value.itself
  const address = await source.findDocumentAddress(codec.dialect, id)
  const toolkit = address?.toolkit ?? (await chooseAlternateToolkit(decoded.value, codec.dialect, source))
  if (toolkit === undefined || toolkit === decoded.value.definitions[0]?.toolkit) return { decoded, placed: [] }
  // Where the tools of others' documents are is told to nobody who may not publish there
  const whole = { toolkit, tool: '*' }
  if (publisher && findCoverDenial(publisher, whole, 'tools:publish')) return { decoded, placed: [] }
  const why = address ? `where '${id}' is published already` : 'as that of its id holds other tools'
  const placed = [{ path: '', message: `Its tools are in the toolkit '${toolkit}', ${why}` }]
  return { decoded: codec.decode(document, { ...given, toolkit }, budget), placed }
}

/** So that Machine Context's `calculator` and OXP's `Calculator` can both be published as they stand. */
async function chooseAlternateToolkit(
  { definitions: [first], elsewhere }: DecodeResult,
  dialect: string,
  source: PrepareDeps['source'],
): Promise<string | undefined> {
  const there = first && elsewhere !== undefined ? await source.loadCurrent(first) : undefined
  const isOthers = there?.newest !== undefined && there.newest.source.dialect !== dialect
  return isOthers && there.toolkit !== first?.toolkit ? elsewhere : undefined
}

function chooseImplementations(
  definitions: readonly Definition[],
  called: readonly string[],
  { implementation, implementations = {} }: WrapperFields,
  runners: PrepareDeps['runners'],
) {
  const own = (index: number) => {
    const name = called[index] ?? ''
    return Object.hasOwn(implementations, name) ? implementations[name] : undefined
  }
  const problems = Object.keys(implementations)
    .filter((name) => !called.includes(name))
    .map((name) => {
      const message = `The definition has no '${name.slice(0, 100)}': wanted one of ${quoteList(called.slice(0, 20))}`
      return { path: `/implementations${encodePointerStep(name)}`, message }
    })
  const findImplementation = (index: number) => own(index) ?? implementation
  const findImplementationPath = (index: number) =>
    own(index) ? `/implementations${encodePointerStep(called[index] ?? '')}` : '/implementation'
  for (const [index, definition] of definitions.entries()) {
    const chosen = findImplementation(index)
    if (chosen) problems.push(...checkImplementation(chosen, definition, runners, findImplementationPath(index)))
  }
  return { implementationOf: findImplementation, placeOf: findImplementationPath, problems }
}

export async function prepareDefinitions(
  { tools, warnings, isGuarded, budget: whole }: DefinitionSubmission,
  { runners, sha256, source }: PrepareDeps,
): Promise<ParseResult<PreparedSubmission>> {
  const budget = createBudget(DEFAULT_UNITS, whole)
  const definitions = tools.map(({ definition }) => definition)
  const sizeProblems = checkCombinedSize(definitions, '')
  const problems =
    sizeProblems.length > 0 ? sizeProblems : tools.flatMap((tool) => checkDefinition(tool, runners, budget))
  if (problems.length > 0) return { ok: false, problems }
  const placed = await assignNames(definitions, source)
  const records = await Promise.all(
    tools.map((tool, index) => {
      return createToolRecord({ ...tool, definition: placed.definitions[index] ?? tool.definition }, sha256)
    }),
  )
  const given = { implementation: true, tags: false, ...(isGuarded ? { guard: true } : {}) }
  const places = tools.map(({ schemaPaths }) => schemaPaths)
  const implementationPaths = tools.map(() => '/implementation')
  return {
    ok: true,
    value: { records, places, implementationPaths, given, warnings: [...warnings, ...placed.warnings] },
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
export function otherReader(
  document: Json,
  given: DecodeOptions,
  likely: Codec,
  codecs: readonly Codec[],
): Codec | undefined {
  if (!isToolList(document)) return undefined
  const others = codecs.filter((codec) => codec !== likely && codec.countTools !== undefined)
  return others.find((codec) => codec.decode(document, given).ok)
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
  const isKept = !first.toolkit.includes('-') || (await source.hasToolkit(first.toolkit))
  const toolkit = isKept ? first.toolkit : sanitizeName(first.toolkit)
  const dashed = definitions.filter(({ tool }) => tool.includes('-'))
  const known = isKept ? await Promise.all(dashed.map((each) => source.loadCurrent(each))) : []
  const kept = new Set(known.flatMap((each) => (each ? [each.tool] : [])))
  const names = sanitizeNames(definitions.map(({ tool }) => tool).filter((tool) => !kept.has(tool)))
  const warnings: Problem[] = []
  if (!isKept) warnings.push(warning(`'${first.toolkit}' is no longer a toolkit's name: the toolkit is '${toolkit}'`))
  const placed = definitions.map((definition) => {
    const tool = names.get(definition.tool) ?? definition.tool
    if (tool !== definition.tool)
      warnings.push(warning(`'${definition.tool}' is no longer a tool's name: it is '${tool}'`))
    const isMade = definition.name === toDerivedName(definition)
    const named = { ...definition, toolkit, tool }
    return isMade ? { ...named, name: toDerivedName(named) } : named
  })
  return { definitions: placed, warnings }
}

function warning(message: string): Problem {
  return { path: '', message }
}
