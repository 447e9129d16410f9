import { coverDenial, type Principal } from '../access/principal.ts'
import { guarded } from '../access/guard.ts'
import type { Places } from '../schema/compatibility.ts'
import { type Budget, createBudget, UNITS } from '../tool/budget.ts'
import type { Codec, Decoded, Given } from '../tool/codec.ts'
import { recordOf, type Sha256 } from '../tool/digest.ts'
import { shortDescription } from '../tool/definition-fields.ts'
import { isList, isObject, type Json } from '../tool/json.ts'
import { joinedName, type ToolName } from '../tool/tool-id.ts'
import { type Checked, pointerStep, type Problem, quoted } from '../tool/problem.ts'
import { sanitizedName, sanitizedNames } from '../tool/sanitize-name.ts'
import type { JsonSchema, Definition, ImplementationKind } from '../tool/tool.ts'
import type { ToolSource } from '../tool/tool-source.ts'
import { judgeComplete, judgeImplementation, judgeSchemas, judgeText, judgeTogether } from './definition-rules.ts'
import { judgeWork } from './definition-rules.ts'
import type { Publication } from './registry.ts'
import type { DefinedSubmission, DocumentSubmission } from './submission.ts'
import { type Beside, readWrapper } from './wrapper.ts'

export interface PrepareDeps {
  readonly codecs: readonly Codec[]
  readonly runners: ReadonlyMap<string, ImplementationKind>
  readonly sha256: Sha256
  readonly source: Pick<ToolSource, 'addressed' | 'current' | 'holds'>
}

export interface Prepared extends Pick<Publication, 'records' | 'document' | 'given'> {
  readonly warnings: readonly Problem[]
  readonly places: readonly Places[]
  readonly implementedAt: readonly string[]
  readonly state?: ImportState
  readonly toolkitDescription?: string | undefined
  /** The dialect of a list of tools, which those of two dialects look like. */
  readonly readAs?: string
}

export type ImportState = 'new' | 'changed' | 'unchanged'

export async function prepareDocument(
  { body, dialect, given: unsaid, budget: whole }: DocumentSubmission,
  deps: PrepareDeps,
  publisher?: Principal,
): Promise<Checked<Prepared>> {
  const { codecs, runners, sha256 } = deps
  const problems: Problem[] = []
  const wrapped = isObject(body) && 'definition' in body
  const prefix = wrapped ? '/definition' : ''
  const document = wrapped ? (body.definition ?? null) : body
  const beside: Beside = wrapped ? readWrapper(body, problems) : { given: {} }
  const { implementation, tags, guard } = beside
  const given = { ...unsaid, ...beside.given }
  const likely = chooseCodec(document, dialect, codecs)
  if (typeof likely === 'string') return { ok: false, problems: [...problems, { path: prefix, message: likely }] }
  const budget = createBudget(UNITS, whole)
  const unfit = [...judgeText(document, 'a definition', prefix), ...judgeWork(document, prefix, budget)]
  if (unfit.length > 0) return { ok: false, problems: [...problems, ...unfit] }
  const first = await decodeInPlace(document, given, likely, deps, budget, publisher)
  const other = first.decoded.ok || dialect !== undefined ? undefined : otherReader(document, given, likely, codecs)
  const codec = other ?? likely
  const { decoded, placed } = other ? await decodeInPlace(document, given, other, deps, budget, publisher) : first
  if (!decoded.ok) return { ok: false, problems: [...problems, ...decoded.problems.map((each) => under(prefix, each))] }
  const { schemas, warnings, itself, unpublishable = [], parameterLists } = decoded.value
  problems.push(...unpublishable.map((each) => under(prefix, each)))
  const { toolkitDescription: about } = decoded.value
  const toolkitDescription = about === undefined ? about : shortDescription(about)
  const tooMuch = judgeTogether(decoded.value.definitions, prefix)
  if (tooMuch.length > 0) return { ok: false, problems: [...problems, ...tooMuch] }
  const { definitions, warnings: renamed } = await placeNames(decoded.value.definitions, deps.source)
  const called = decoded.value.called ?? decoded.value.definitions.map(({ tool }) => tool)
  const { implementationOf, placeOf, problems: misfits } = chooseImplementations(definitions, called, beside, runners)
  problems.push(...judgeSchemas(schemas, codec.references, prefix, budget), ...misfits)
  if (problems.length > 0) return { ok: false, problems }
  const text = itself || definitions.length > 1 ? JSON.stringify(document) : undefined
  const { dialect: written } = codec
  const shared = text === undefined ? undefined : { dialect: written, hash: await sha256(text), text }
  const records = await Promise.all(
    definitions.map((each, index) => {
      const tagged = { ...each, tags: tags ?? each.tags }
      const definition = guard ? guarded(tagged, [guard]) : tagged
      const own = { definition, called: called[index], implementation: implementationOf(index) }
      return recordOf({ ...own, dialect: written, document, hash: shared?.hash }, sha256)
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
  const pathOf = (wanted: JsonSchema | null) => {
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
        input: prefix + (parameterLists?.[index] ?? pathOf(input) ?? '/input'),
        output: prefix + (pathOf(output) ?? ''),
        requirements: `${prefix}/requirements`,
        ...(shared ? { name: called[index] ?? '' } : {}),
        ...(parameterLists ? { isList: true } : {}),
      })),
      implementedAt: definitions.map((_, index) => placeOf(index)),
      warnings: [...warnings, ...placed, ...renamed].map((each) => under(prefix, each)),
      toolkitDescription,
      ...(dialect === undefined && isToolList(document) ? { readAs: written } : {}),
    },
  }
}

async function decodeInPlace(
  document: Json,
  given: Given,
  codec: Codec,
  { source }: PrepareDeps,
  budget: Budget,
  publisher: Principal | undefined,
) {
  const decoded = codec.decode(document, given, budget)
  if (!decoded.ok || !decoded.value.itself || given.toolkit !== undefined) return { decoded, placed: [] }
  const { id } = decoded.value.itself
  const address = await source.addressed(codec.dialect, id)
  const toolkit = address?.toolkit ?? (await placeBeside(decoded.value, codec.dialect, source))
  if (toolkit === undefined || toolkit === decoded.value.definitions[0]?.toolkit) return { decoded, placed: [] }
  // Where the tools of others' documents are is told to nobody who may not publish there
  const whole = { toolkit, tool: '*' }
  if (publisher && coverDenial(publisher, whole, 'tools:publish')) return { decoded, placed: [] }
  const why = address ? `where '${id}' is published already` : 'as that of its id holds other tools'
  const placed = [{ path: '', message: `Its tools are in the toolkit '${toolkit}', ${why}` }]
  return { decoded: codec.decode(document, { ...given, toolkit }, budget), placed }
}

/** So that Machine Context's `calculator` and OXP's `Calculator` can both be published as they stand. */
async function placeBeside(
  { definitions: [first], elsewhere }: Decoded,
  dialect: string,
  source: PrepareDeps['source'],
): Promise<string | undefined> {
  const there = first && elsewhere !== undefined ? await source.current(first) : undefined
  const isOthers = there?.newest !== undefined && there.newest.source.dialect !== dialect
  return isOthers && there.toolkit !== first?.toolkit ? elsewhere : undefined
}

function chooseImplementations(
  definitions: readonly Definition[],
  called: readonly string[],
  { implementation, implementations = {} }: Beside,
  runners: PrepareDeps['runners'],
) {
  const own = (index: number) => {
    const name = called[index] ?? ''
    return Object.hasOwn(implementations, name) ? implementations[name] : undefined
  }
  const problems = Object.keys(implementations)
    .filter((name) => !called.includes(name))
    .map((name) => {
      const message = `The definition has no '${name.slice(0, 100)}': wanted one of ${quoted(called.slice(0, 20))}`
      return { path: `/implementations${pointerStep(name)}`, message }
    })
  const implementationOf = (index: number) => own(index) ?? implementation
  const placeOf = (index: number) =>
    own(index) ? `/implementations${pointerStep(called[index] ?? '')}` : '/implementation'
  for (const [index, definition] of definitions.entries()) {
    const chosen = implementationOf(index)
    if (chosen) problems.push(...judgeImplementation(chosen, definition, runners, placeOf(index)))
  }
  return { implementationOf, placeOf, problems }
}

export async function prepareDefined(
  { tools, warnings, isGuarded, budget: whole }: DefinedSubmission,
  { runners, sha256, source }: PrepareDeps,
): Promise<Checked<Prepared>> {
  const budget = createBudget(UNITS, whole)
  const definitions = tools.map(({ definition }) => definition)
  const tooMuch = judgeTogether(definitions, '')
  const problems = tooMuch.length > 0 ? tooMuch : tools.flatMap((tool) => judgeComplete(tool, runners, budget))
  if (problems.length > 0) return { ok: false, problems }
  const placed = await placeNames(definitions, source)
  const records = await Promise.all(
    tools.map((tool, index) => {
      return recordOf({ ...tool, definition: placed.definitions[index] ?? tool.definition }, sha256)
    }),
  )
  const given = { implementation: true, tags: false, ...(isGuarded ? { guard: true } : {}) }
  const places = tools.map(({ schemaPaths }) => schemaPaths)
  const implementedAt = tools.map(() => '/implementation')
  return { ok: true, value: { records, places, implementedAt, given, warnings: [...warnings, ...placed.warnings] } }
}

function under(prefix: string, { path, message }: Problem): Problem {
  return { path: `${prefix}${path}`, message }
}

export function chooseCodec(document: Json, dialect: string | undefined, codecs: readonly Codec[]): Codec | string {
  const names = quoted(codecs.map((codec) => codec.dialect))
  const recognised = isObject(document) ? codecs.find((codec) => codec.recognises(document)) : undefined
  if (!recognised && isObject(document) && isList(document['items']))
    return "Is a list of tools: send its 'items' as an array"
  if (dialect !== undefined) {
    return codecs.find((codec) => codec.dialect === dialect) ?? `Unknown dialect '${dialect}': wanted one of ${names}`
  }
  if (!isObject(document)) return 'Must be a definition, which is an object'
  return recognised ?? `Cannot detect the dialect of this definition (${names}): set ?dialect= to see what is missing`
}

/** For a list of tools that the dialect it looks like does not take: the first of the others, in their order, that does. */
export function otherReader(document: Json, given: Given, likely: Codec, codecs: readonly Codec[]): Codec | undefined {
  if (!isToolList(document)) return undefined
  const others = codecs.filter((codec) => codec !== likely && codec.toolsIn !== undefined)
  return others.find((codec) => codec.decode(document, given).ok)
}

function isToolList(document: Json): boolean {
  return isObject(document) && isList(document['tools'])
}

/** New names have the characters `[A-Za-z0-9_]`; one that is published with a `-` keeps it. */
export async function placeNames<T extends ToolName & { readonly name: string }>(
  definitions: readonly T[],
  source: Pick<ToolSource, 'current' | 'holds'>,
): Promise<{ readonly definitions: readonly T[]; readonly warnings: readonly Problem[] }> {
  const [first] = definitions
  if (!first || !definitions.some(({ toolkit, tool }) => (toolkit + tool).includes('-')))
    return { definitions, warnings: [] }
  const isKept = !first.toolkit.includes('-') || (await source.holds(first.toolkit))
  const toolkit = isKept ? first.toolkit : sanitizedName(first.toolkit)
  const dashed = definitions.filter(({ tool }) => tool.includes('-'))
  const known = isKept ? await Promise.all(dashed.map((each) => source.current(each))) : []
  const kept = new Set(known.flatMap((each) => (each ? [each.tool] : [])))
  const names = sanitizedNames(definitions.map(({ tool }) => tool).filter((tool) => !kept.has(tool)))
  const warnings: Problem[] = []
  if (!isKept) warnings.push(warning(`'${first.toolkit}' is no longer a toolkit's name: the toolkit is '${toolkit}'`))
  const placed = definitions.map((definition) => {
    const tool = names.get(definition.tool) ?? definition.tool
    if (tool !== definition.tool)
      warnings.push(warning(`'${definition.tool}' is no longer a tool's name: it is '${tool}'`))
    const isMade = definition.name === joinedName(definition)
    const named = { ...definition, toolkit, tool }
    return isMade ? { ...named, name: joinedName(named) } : named
  })
  return { definitions: placed, warnings }
}

function warning(message: string): Problem {
  return { path: '', message }
}
