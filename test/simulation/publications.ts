import type { Json } from '../../src/core/tool/json.ts'
import { prepareDocument } from '../../src/core/publish/prepare.ts'
import type { Publication } from '../../src/core/publish/registry.ts'
import type { ToolRecord } from '../../src/core/tool/tool.ts'
import { machineContext } from '../../src/dialects/machine-context/definition.ts'
import { oxp } from '../../src/dialects/oxp/definition.ts'
import { sha256 } from '../../src/storage/sealing/sha256.ts'
import { definition } from '../e2e/definition.ts'

/** Everything that a scenario publishes. */
export type Publications = readonly [Publication, ...Publication[]]

/** Every toolkit already exists, so that none is renamed. */
const source = {
  findDocumentAddress: async () => undefined,
  loadCurrent: async () => undefined,
  loadRecord: async () => undefined,
  hasToolkit: async () => true,
}
const RUNNERS = new Map([['echo', { kind: 'echo', check: () => [] }]])

async function publicationOf(sent: object): Promise<Publication> {
  const body: Json = JSON.parse(JSON.stringify(sent))
  const prepared = await prepareDocument(
    { kind: 'document', body },
    { codecs: [oxp, machineContext], runners: RUNNERS, sha256, source },
  )
  if (!prepared.ok) throw new Error(JSON.stringify(prepared.problems))
  const { records, document, specified } = prepared.value.publication
  return { records, ...(document ? { document } : {}), specified, allowBreaking: true }
}

/** A tool version as a publisher sends it. Two with different descriptions compete for one id. */
const toolPublication = (id: string, description: string) =>
  publicationOf({ definition: definition(id, { description }), implementation: { kind: 'echo' } })

/** Returns the record of a tool version. */
export async function oneTool(id: string, description: string): Promise<ToolRecord> {
  const [record] = (await toolPublication(id, description)).records
  if (!record) throw new Error('No record')
  return record
}

const FORMS = ['This', 'That']
const NAMES = ['Alpha.One', 'Alpha.Two', 'Beta.One']
const VERSIONS = ['1.0.0', '1.1.0', '2.0.0']

/** The tools of each version of a document: one is added, and another is removed. */
const DOCUMENT = { '1.0.0': ['read', 'write'], '1.1.0': ['read', 'write', 'erase'], '2.0.0': ['read', 'erase'] }

function documentPublication(version: string, names: readonly string[], form: string): Promise<Publication> {
  const capabilities = names.map((name) => ({ name, description: `${form} ${name}` }))
  return publicationOf({
    definition: { id: 'Notes', name: 'Notes', version, description: 'Notes', capabilities },
    implementations: Object.fromEntries(names.map((name) => [name, { kind: 'echo' }])),
  })
}

/** Lists each version of the tools and of a document in two forms, at most one of which may ever be seen. */
export async function allPublications(): Promise<Publications> {
  const ids = NAMES.flatMap((name) => VERSIONS.map((version) => `${name}@${version}`))
  const [first, ...others] = await Promise.all(ids.flatMap((id) => FORMS.map((form) => toolPublication(id, form))))
  const documents = await Promise.all(
    Object.entries(DOCUMENT).flatMap(([version, names]) =>
      FORMS.map((form) => documentPublication(version, names, form)),
    ),
  )
  if (!first) throw new Error('No tool')
  return [first, ...others, ...documents]
}
