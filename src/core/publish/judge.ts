import { checkSchema, type SchemaOptions } from '../schema/publishable.ts'
import { afford, type Budget, weigh } from '../tool/budget.ts'
import type { Decoded } from '../tool/codec.ts'
import type { Json } from '../tool/json.ts'
import { canonicalJson } from '../tool/digest.ts'
import { jsonSize } from '../tool/json-size.ts'
import { type Problem, quoted } from '../tool/problem.ts'
import { formatToolId, isNamePart, isVersion } from '../tool/tool-id.ts'
import type { Definition, Implementation, ImplementationKind } from '../tool/tool.ts'

/** The largest definition document, and the largest implementation beside it, in bytes of canonical JSON. */
export const MAX_BYTES = 256 * 1024
/** The largest definition that an importer makes, in characters of canonical JSON. */
const MAX_CHARACTERS = 256 * 1024

/** Judges a value as a text: digests and stores need one, and stores not too long a one. */
export function judgeText(value: unknown, what: string, path: string, most = MAX_BYTES): readonly Problem[] {
  // First, and no further than that: what is far too large costs no more than what is a little
  if (jsonSize(value, most) > most)
    return [{ path, message: `Is larger than ${most} bytes, the most ${what} may have` }]
  return canonicalText(value) === undefined ? [{ path, message: 'Holds a lone surrogate, which is no text' }] : []
}

/** Judges the work that reading a document takes, which grows with its parts and no faster. */
export function judgeWork(document: unknown, path: string, budget: Budget): readonly Problem[] {
  const message = 'Takes too much work to read: it has too many parts'
  const weighed = afford(() => weigh(document, budget, path), message)
  return weighed.ok ? [] : weighed.problems
}

/** Judges a definition that an importer made as a text: its document, which is a part of the source, does not bound it. */
export function judgeImported(definition: Omit<Definition, 'version'>): readonly Problem[] {
  const text = canonicalText(definition)
  if (text === undefined) return [{ path: '', message: 'It holds a lone surrogate, which is no text' }]
  if (text.length <= MAX_CHARACTERS) return []
  return [{ path: '', message: `Its definition is larger than ${MAX_CHARACTERS} characters` }]
}

/** The most tools that one document may define. */
export const MAX_TOOLS = 500
/** The most characters of canonical JSON that the definitions of one document may come to: what all of them repeat, too. */
const MAX_TOGETHER = 2 * 1024 * 1024

/** Judges how much one document comes to: what it says of itself stands in the record of each of its tools. */
export function judgeTogether(definitions: readonly Definition[], path: string): readonly Problem[] {
  const count = definitions.length
  if (count > MAX_TOOLS) return [{ path, message: `Must define at most ${MAX_TOOLS} tools, got ${count}` }]
  let characters = 0
  for (const definition of definitions) {
    characters += canonicalText(definition)?.length ?? 0
    if (characters <= MAX_TOGETHER) continue
    const message = `Comes to more than ${MAX_TOGETHER} characters, since what it says of all its ${count} tools is kept with each: say less of them together, or define fewer in one document`
    return [{ path, message }]
  }
  return []
}

/** Judges the id that whoever made a definition gave it. */
export function judgeId({ toolkit, tool, version }: Definition): readonly Problem[] {
  if (isNamePart(toolkit) && isNamePart(tool) && isVersion(version)) return []
  return [{ path: '', message: `'${formatToolId({ toolkit, tool }, version)}' must be an id 'Toolkit.Tool@x.y.z'` }]
}

/** Judges schemas by the bounds of publication. */
export function judgeSchemas(
  schemas: Decoded['schemas'],
  references: SchemaOptions['references'],
  prefix: string,
  budget: Budget,
): readonly Problem[] {
  return schemas.flatMap(({ path, schema }) => checkSchema(schema, { references, budget }, `${prefix}${path}`))
}

/** Judges an implementation, which stands at `place`, by the rules of the runner it names. */
export function judgeImplementation(
  implementation: Implementation,
  definition: Definition,
  runners: ReadonlyMap<string, ImplementationKind>,
  place = '/implementation',
): readonly Problem[] {
  const runner = runners.get(implementation.kind)
  if (!runner) {
    const message = `Unknown kind '${implementation.kind}': wanted one of ${quoted([...runners.keys()])}`
    return [{ path: `${place}/kind`, message }]
  }
  return runner.check(implementation, definition).map((each) => ({ ...each, path: `${place}${each.path}` }))
}

/**
 * Loads the implementations of records, each once, and gives what is wrong with them; `places` says where each stands in what
 * was published. Nothing of them is run.
 */
export async function judgeLoading(
  records: readonly { readonly implementation?: Implementation }[],
  places: readonly string[],
  runners: ReadonlyMap<string, ImplementationKind>,
): Promise<readonly Problem[]> {
  const placeOf = new Map<Implementation, string>()
  for (const [index, { implementation }] of records.entries()) {
    if (implementation) placeOf.set(implementation, places[index] ?? '')
  }
  const problems: Problem[] = []
  for (const [implementation, place] of placeOf) {
    const found = (await runners.get(implementation.kind)?.load?.(implementation)) ?? []
    problems.push(...found.map((each) => ({ ...each, path: `${place}${each.path}` })))
  }
  return problems
}

/** The largest complete definition, in bytes: as large as its document, and as what its publisher says beside it. */
const MAX_COMPLETE_BYTES = 512 * 1024

/** A complete definition with what it was made of. */
interface Complete {
  readonly definition: Definition
  readonly implementation?: Implementation | undefined
  readonly document: Json
  /** Where the definition's schemas stand in what the publisher sent. */
  readonly schemaPaths: { readonly input: string; readonly output: string }
  readonly references?: SchemaOptions['references']
}

/** Judges a complete definition and its implementation as a document's are. */
export function judgeComplete(
  { definition, implementation, document, schemaPaths, references = 'local' }: Complete,
  runners: ReadonlyMap<string, ImplementationKind>,
  budget: Budget,
): readonly Problem[] {
  const problems = [
    ...judgeId(definition),
    ...judgeText(implementation ?? null, 'an implementation', '/implementation'),
  ]
  const unfit = [...judgeText(document, 'a definition', '/definition'), ...judgeWork(definition, '/definition', budget)]
  if (unfit.length > 0) return [...problems, ...unfit]
  const { input, output } = definition
  const schemas = [
    { path: schemaPaths.input, schema: input },
    ...(output === null ? [] : [{ path: schemaPaths.output, schema: output }]),
  ]
  return [
    ...problems,
    ...judgeText(definition, 'a complete definition', '', MAX_COMPLETE_BYTES),
    ...judgeSchemas(schemas, references, '', budget),
    ...(implementation ? judgeImplementation(implementation, definition, runners) : []),
  ]
}

function canonicalText(value: unknown): string | undefined {
  try {
    return canonicalJson(value)
  } catch {
    return undefined
  }
}
