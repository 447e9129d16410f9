import type { Principal } from '../access/principal.ts'
import { canonicalJson } from '../tool/digest.ts'
import type { ImportedTool, ImportItem, Skipped } from './import.ts'
import type { Json, JsonObject } from '../tool/json.ts'
import { publicationDenial } from './publication-denial.ts'
import { preparePublication, type PublishDeps, recordOf } from './publish.ts'
import type { Publication, RegistryWriter } from './registry.ts'
import type { ToolSource } from '../tool/tool-source.ts'
import { compareDefinitions, lowestVersion, requiredBump } from '../schema/change.ts'
import { expandSchema } from '../schema/expand.ts'
import type { ToolSecrets } from '../access/tool-secrets.ts'
import { formatToolId } from '../tool/tool-id.ts'
import type { Definition, Requirements, ToolRecord } from '../tool/tool.ts'
import { compareVersions } from '../tool/version.ts'

export interface ImportDeps {
  readonly publishing: PublishDeps
  readonly source: ToolSource
  readonly writer: RegistryWriter
  readonly toolSecrets: ToolSecrets
}

export interface ImportOptions {
  readonly principal: Principal
  /** Of every tool that is new or changed. Without it a new tool gets the source's, and a changed one what its change asks. */
  readonly version?: string | undefined
  readonly sourceVersion?: string | undefined
  /** Says what would be made, and makes nothing. */
  readonly dryRun: boolean
  readonly allowBreaking: boolean
}

/** What became, or would become, of one tool. */
export interface Made {
  readonly id: string
  readonly name: string
  /** `unchanged`: it is published already as it is, under this id. */
  readonly state: 'new' | 'changed' | 'unchanged'
  readonly about: JsonObject
  readonly requirements: Requirements
  readonly warnings: readonly string[]
}

export interface Imported {
  readonly made: readonly Made[]
  readonly skipped: readonly Skipped[]
  /** How many were skipped for want of a right. */
  readonly denied: number
}

/** Tools judged and stored together: enough to spare messages, and few enough that a large source never lies whole in memory. */
const BATCH = 50
/** A definition's schemas and texts, in characters of canonical JSON. */
const MAX_CHARACTERS = 256 * 1024
const FIRST_VERSION = '1.0.0'

type Judged =
  { readonly made: Made; readonly publication?: Publication } | { readonly skipped: Skipped; readonly denied?: true }

/**
 * Publishes what an importer makes, in order and in batches, each tool judged alone by the rules of publication. A tool
 * that is published already and says the same is left as it is; one that changed gets a new version, above its highest;
 * versions that exist are never touched, nor are tools that the source no longer has.
 */
export async function importTools(
  items: Iterable<ImportItem>,
  options: ImportOptions,
  deps: ImportDeps,
): Promise<Imported> {
  const made: Made[] = []
  const skipped: Skipped[] = []
  let denied = 0
  const settle = async (batch: readonly ImportItem[]): Promise<void> => {
    const judged = await Promise.all(
      batch.map((item): Judged | Promise<Judged> =>
        'tool' in item ? judge(item.tool, options, deps) : { skipped: item.skipped },
      ),
    )
    const publications = judged.flatMap((each) => ('publication' in each && each.publication ? [each.publication] : []))
    const published = options.dryRun ? [] : await deps.writer.publish(publications)
    let next = 0
    for (const each of judged) {
      if ('skipped' in each) {
        skipped.push(each.skipped)
        if (each.denied) denied += 1
        continue
      }
      const outcome = each.publication ? published[next++] : undefined
      const { name, about } = each.made
      if (outcome?.outcome === 'conflict') skipped.push({ name, reason: outcome.message, about })
      else if (outcome?.outcome === 'refused') skipped.push({ name, reason: worded(outcome.problems), about })
      else made.push(each.made)
    }
  }
  let batch: ImportItem[] = []
  for (const item of items) {
    batch.push(item)
    if (batch.length < BATCH) continue
    await settle(batch)
    batch = []
  }
  await settle(batch)
  return { made, skipped, denied }
}

async function judge(tool: ImportedTool, options: ImportOptions, deps: ImportDeps): Promise<Judged> {
  const { definition, about, warnings } = tool
  const { name, requirements } = definition
  const skip = (reason: string): Judged => ({ skipped: { name: definition.tool, reason, about } })
  const denial = publicationDenial(options.principal, definition, deps.toolSecrets)
  if (denial !== undefined) return { skipped: { name: definition.tool, reason: denial, about }, denied: true }
  const chosen = await versionFor(tool, options, deps)
  if ('reason' in chosen) return skip(chosen.reason)
  const made: Made = {
    id: formatToolId(definition, chosen.version),
    name,
    state: chosen.state,
    about,
    requirements,
    warnings,
  }
  if (chosen.state === 'unchanged') return { made }
  const prepared = await prepare({ ...definition, version: chosen.version }, tool, options, deps.publishing)
  return typeof prepared === 'string' ? skip(prepared) : { made, publication: prepared }
}

/** Which version a tool gets, from what is published and how it differs from that. */
async function versionFor(
  { definition, implementation, dialect, document }: ImportedTool,
  { version, sourceVersion }: ImportOptions,
  { source, publishing }: ImportDeps,
): Promise<{ readonly version: string; readonly state: Made['state'] } | { readonly reason: string }> {
  const existing = await source.current(definition)
  const highest = existing?.versions.toSorted((a, b) => compareVersions(b.version, a.version))[0]
  if (!existing || !highest) return { version: version ?? sourceVersion ?? FIRST_VERSION, state: 'new' }
  if (formatToolId(existing) !== formatToolId(definition)) {
    return { reason: `'${formatToolId(existing)}' exists: ids are unique ignoring case` }
  }
  const asBefore = { ...definition, version: highest.version }
  const { digest } = await recordOf(asBefore, implementation, dialect, document, publishing.sha256)
  if (digest === highest.digest) return { version: highest.version, state: 'unchanged' }
  if (version !== undefined) {
    if (compareVersions(version, highest.version) > 0) return { version, state: 'changed' }
    return { reason: `It changed, and version ${version} is not above ${highest.version}, its highest` }
  }
  const { newest } = existing
  const previous: ToolRecord | undefined =
    newest?.digest === highest.digest ? newest : await source.record(highest.digest)
  const level = previous ? requiredBump(compareDefinitions(expanded(previous), expanded(asBefore))) : 'major'
  return { version: lowestVersion(highest.version, level), state: 'changed' }
}

function expanded<T extends Definition>(definition: T): T {
  const { input, output } = definition
  const whole = expandSchema(input)
  return {
    ...definition,
    input: typeof whole === 'boolean' ? input : whole,
    output: output === null ? null : expandSchema(output),
  }
}

/** The publication of one tool, judged as any other is; a text says everything that is wrong with it. */
async function prepare(
  definition: Definition,
  { implementation, dialect, document }: ImportedTool,
  { version, allowBreaking }: ImportOptions,
  publishing: PublishDeps,
): Promise<Publication | string> {
  const { input, output } = definition
  const size = canonicalSize(definition)
  if (size === undefined) return 'It holds a lone surrogate, which is no text'
  if (size > MAX_CHARACTERS) return `Its definition is larger than ${MAX_CHARACTERS} characters`
  const schemas = [{ path: '/input', schema: input }, ...(output === null ? [] : [{ path: '/output', schema: output }])]
  const codec = {
    dialect,
    references: 'local' as const,
    recognises: () => true,
    decode: () => ({ ok: true as const, value: { definitions: [definition], schemas, warnings: [] } }),
    encode: () => ({ document, losses: [] }),
  }
  const body: Json = { definition: document, implementation }
  // Without a version of the publisher's own, the version follows from the change, and breaks nothing
  const options = { dialect, allowBreaking: allowBreaking || version === undefined }
  const prepared = await preparePublication(body, options, { ...publishing, codecs: [codec] })
  return prepared.ok ? prepared.value.publication : worded(prepared.problems)
}

function canonicalSize(value: unknown): number | undefined {
  try {
    return canonicalJson(value).length
  } catch {
    return undefined
  }
}

function worded(problems: readonly { readonly path: string; readonly message: string }[]): string {
  return problems
    .slice(0, 5)
    .map(({ path, message }) => (path === '' ? message : `At '${path}': ${message}`))
    .join('; ')
}
