import { createHash } from 'node:crypto'
import { UNKNOWN } from '../../../src/core/access/change-refusal.ts'
import { isTrustedWith, type Principal } from '../../../src/core/access/principal.ts'
import type { ImportedTool } from '../../../src/core/publish/import.ts'
import { withBudget } from '../../../src/core/publish/export.ts'
import { createPublish, type PublishDeps } from '../../../src/core/publish/publish.ts'
import type { Publication, PublicationResult } from '../../../src/core/publish/registry.ts'
import type { Codec } from '../../../src/core/tool/codec.ts'
import type { ImplementationKind } from '../../../src/core/tool/tool.ts'
import type { JsonObject } from '../../../src/core/tool/json.ts'
import { type Definition, NO_REQUIREMENTS, type ToolEntry, type ToolRecord } from '../../../src/core/tool/tool.ts'
import type { DocumentAddress } from '../../../src/core/tool/tool-source.ts'
import type { ToolStatus } from '../../../src/core/tool/version.ts'

export const sha256 = async (text: string) => createHash('sha256').update(text).digest('hex')

export const principal = (...tools: readonly string[]): Principal => ({
  id: 'key:k1',
  kind: 'key',
  scopes: ['tools:publish'],
  tools,
  users: [],
})

export const definitionOf = (more: Partial<Definition> = {}): Definition => ({
  toolkit: 'Kit',
  tool: 'Do',
  version: '1.0.0',
  name: 'Kit_Do',
  description: 'Does it',
  input: { type: 'object', properties: { a: { type: 'string' } } },
  output: {},
  requirements: NO_REQUIREMENTS,
  tags: [],
  ...more,
})

export function importedOf(more: Partial<Definition> = {}, rest: Partial<ImportedTool> = {}): ImportedTool {
  const { version: _, ...definition } = definitionOf(more)
  return {
    definition,
    implementation: { kind: 'echo' },
    document: { remoteName: definition.tool },
    dialect: 'source',
    about: { path: definition.tool },
    warnings: [],
    ...rest,
  }
}

/**
 * A minimal dialect for tests: `{plain: [definition, …], problems?, warnings?}`. Each definition's input is at
 * `/plain/{index}/input`.
 */
export const plain: Codec = {
  dialect: 'plain',
  references: 'none',
  recognizes: (document) => Object.hasOwn(Object(document), 'plain'),
  decode(document, { toolkit, version }) {
    const { plain: definitions = [], problems = [], warnings = [] } = Object(document)
    if (problems.length > 0) return { ok: false, problems }
    return {
      ok: true,
      value: {
        definitions: definitions.map((each: Partial<Definition>) =>
          definitionOf({ ...each, ...(toolkit && { toolkit }), ...(version && { version }) }),
        ),
        schemas: definitions.map(({ input = {} }: Partial<Definition>, index: number) => ({
          path: `/plain/${index}/input`,
          schema: input,
        })),
        warnings,
      },
    }
  },
  encode: ({ source }) => ({ document: source.document ?? null, losses: [] }),
}

/** Accepts everything, except that `{kind: 'echo', wrong: '/at'}` has a problem there. */
export const echo: ImplementationKind = {
  kind: 'echo',
  check: ({ wrong }, { tool }) => (typeof wrong === 'string' ? [{ path: wrong, message: `Wrong for ${tool}` }] : []),
}

export const runners = new Map<string, ImplementationKind>([
  ['echo', echo],
  ['other', { ...echo, kind: 'other' }],
])

/** Creates the entry of one published tool. */
export function documentOf(
  records: readonly ToolRecord[],
  { newest, status = { state: 'active' } }: { newest?: ToolRecord | undefined; status?: ToolStatus } = {},
): ToolEntry {
  const [{ toolkit, tool } = definitionOf()] = records
  const versions = records.map(({ version, digest }) => ({
    version,
    digest,
    status,
    publisher: { principal: 'key:k1', trusted: true },
  }))
  return { toolkit, tool, versions, ...(newest ? { newest } : {}) }
}

export interface World {
  /** The published tools, by `Toolkit.Tool` in lower case. */
  readonly published?: Readonly<Record<string, ToolEntry>>
  /** The records that can be read by their digest. */
  readonly records?: readonly ToolRecord[]
  /** The registry's results, by a publication's first id; the default is created. */
  readonly outcomes?: Readonly<Record<string, (ids: readonly string[], publication: Publication) => PublicationResult>>
  /** The addresses of documents, by dialect and id. */
  readonly addresses?: Readonly<Record<string, DocumentAddress>>
  /** The secrets that every tool may use. */
  readonly granted?: readonly string[]
  /** Why nothing may be published in any toolkit. */
  readonly denied?: string
}

/** Creates a fake registry with its access checks, and records the requests in order. */
export function worldOf({
  published = {},
  records = [],
  outcomes = {},
  addresses = {},
  granted = [],
  denied,
}: World = {}) {
  const asked: string[] = []
  const stored: (readonly Publication[])[] = []
  let gaveWay = 0
  const deps: PublishDeps = {
    codecs: [plain],
    formats: new Map([['plain', withBudget('plain', (record, _, budget) => plain.encode(record, budget))]]),
    yieldControl: async () => void (gaveWay += 1),
    runners,
    sha256,
    source: {
      async loadCurrent({ toolkit, tool }) {
        asked.push(`current ${toolkit}.${tool}`)
        return published[`${toolkit}.${tool}`.toLowerCase()]
      },
      async loadRecord(digest) {
        asked.push(`record ${digest}`)
        return records.find((each) => each.digest === digest)
      },
      findDocumentAddress: async (dialect, id) => addresses[`${dialect} ${id}`],
      hasToolkit: async (toolkit) => Object.values(published).some((each) => each.toolkit === toolkit),
    },
    toolSecrets: { isGranted: (id) => granted.includes(id) },
    writer: {
      async publish(publications) {
        asked.push(`publish ${publications.length}`)
        stored.push(publications)
        return publications.map((publication): PublicationResult => {
          const ids = publication.records.map(({ id }) => id)
          return outcomes[ids[0] ?? '']?.(ids, publication) ?? { ok: true, outcome: 'created', ids, warnings: [] }
        })
      },
      change: async () => UNKNOWN,
      rights: async (name, principal) => ({ denied, maySendSecrets: isTrustedWith(principal, name) }),
    },
  }
  return { deps, asked, stored, gaveWay: () => gaveWay, publish: createPublish(deps) }
}

/** Builds a schema that is nested `depth` levels deep, including the outermost. */
export function schemasDeep(depth: number): JsonObject {
  let schema: JsonObject = { type: 'string' }
  for (let level = 1; level < depth; level += 1) schema = { type: 'object', properties: { a: schema } }
  return schema
}
