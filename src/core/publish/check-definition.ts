import { checkSchema, type SchemaOptions } from '../schema/publishable.ts'
import { withinBudget, type Budget, chargeValue } from '../tool/budget.ts'
import type { DecodeResult } from '../tool/codec.ts'
import { jsonSize } from '../tool/json.ts'
import { type Problem, quoteList } from '../tool/problem.ts'
import { formatToolId, isNamePart, isVersion } from '../tool/tool-id.ts'
import type { Definition, Implementation, ImplementationKind } from '../tool/tool.ts'

type Runners = ReadonlyMap<string, ImplementationKind>

export const MAX_STORED_BYTES = 256 * 1024
const MAX_CHARACTERS = 256 * 1024

/** Checks that a value has at most `maxBytes` of JSON, and a digest by RFC 8785. */
export function checkStorable(
  value: unknown,
  noun: string,
  path: string,
  maxBytes = MAX_STORED_BYTES,
): readonly Problem[] {
  // Checked first, and counted only up to the limit, so that a huge document costs no more than one slightly over the limit
  if (jsonSize(value, maxBytes) > maxBytes)
    return [{ path, message: `Is larger than ${maxBytes} bytes, the most ${noun} may have` }]
  return hasDigest(value) ? [] : [{ path, message: 'Contains a lone surrogate (invalid Unicode)' }]
}

/** RFC 8785 has no digest for lone surrogates and infinite numbers, which JSON can write as `1e999`. */
function hasDigest(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed()
  if (typeof value !== 'object' || value === null) return value !== undefined && Number.isFinite(Number(value))
  if (Array.isArray(value)) return value.every(hasDigest)
  return Object.entries(value).every(([key, item]) => key.isWellFormed() && (item === undefined || hasDigest(item)))
}

export function checkReadCost(document: unknown, path: string, budget: Budget): readonly Problem[] {
  const message = 'Takes too much work to read: it has too many parts'
  const chargeResult = withinBudget(() => chargeValue(document, budget, path), message)
  return chargeResult.ok ? [] : chargeResult.problems
}

/** Limits an imported definition by itself, because its document is only a part of the source. */
export function checkImportedDefinition(definition: Omit<Definition, 'version'>): readonly Problem[] {
  if (!hasDigest(definition)) return [{ path: '', message: 'Contains a lone surrogate (invalid Unicode)' }]
  if (JSON.stringify(definition).length <= MAX_CHARACTERS) return []
  return [{ path: '', message: `Its definition is larger than ${MAX_CHARACTERS} characters` }]
}

export const MAX_TOOLS = 500
/** Characters of JSON in all definitions of a document, including what they repeat. */
const MAX_COMBINED_CHARACTERS = 2 * 1024 * 1024

/** Limits the sum, because a document's own fields are stored in the record of each of its tools. */
export function checkCombinedSize(definitions: readonly Definition[]): readonly Problem[] {
  const count = definitions.length
  if (count > MAX_TOOLS) return [{ path: '', message: `Must define at most ${MAX_TOOLS} tools, got ${count}` }]
  let characters = 0
  for (const definition of definitions) {
    characters += JSON.stringify(definition).length
    if (characters <= MAX_COMBINED_CHARACTERS) continue
    const message = `Comes to more than ${MAX_COMBINED_CHARACTERS} characters, since what it says of all its ${count} tools is kept with each: say less of them together, or define fewer in one document`
    return [{ path: '', message }]
  }
  return []
}

export function checkToolId({ toolkit, tool, version }: Definition): readonly Problem[] {
  if (isNamePart(toolkit) && isNamePart(tool) && isVersion(version)) return []
  const id = formatToolId({ toolkit, tool }, version)
  return [{ path: '', message: `'${id}' must be an id 'Toolkit.Tool@x.y.z', each name 1 to 64 characters` }]
}

export function checkSchemas(
  schemas: DecodeResult['schemas'],
  references: SchemaOptions['references'],
  budget: Budget,
): readonly Problem[] {
  return schemas.flatMap(({ path, schema }) => checkSchema(schema, { references, budget }, path))
}

export function checkImplementation(
  implementation: Implementation,
  definition: Definition,
  runners: Runners,
  path = '/implementation',
): readonly Problem[] {
  const runner = runners.get(implementation.kind)
  if (!runner) {
    const message = `Unknown kind '${implementation.kind}': wanted one of ${quoteList([...runners.keys()])}`
    return [{ path: `${path}/kind`, message }]
  }
  return runner.check(implementation, definition).map((problem) => ({ ...problem, path: `${path}${problem.path}` }))
}

/** `implementations` maps each implementation to its path. */
export function findUnreachable(implementations: ReadonlyMap<Implementation, string>, runners: Runners) {
  return [...implementations].flatMap(([implementation, path]): readonly Problem[] => {
    const message = runners.get(implementation.kind)?.unreachable?.(implementation)
    return message === undefined ? [] : [{ path, message }]
  })
}

export async function checkLoading(implementations: ReadonlyMap<Implementation, string>, runners: Runners) {
  const problems: Problem[] = []
  for (const [implementation, path] of implementations) {
    const loadProblems = (await runners.get(implementation.kind)?.load?.(implementation)) ?? []
    problems.push(...loadProblems.map((problem) => ({ ...problem, path: `${path}${problem.path}` })))
  }
  return problems
}
