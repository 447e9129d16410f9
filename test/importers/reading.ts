import { FetchCapability } from '../../src/core/access/principal.ts'
import { createBudget } from '../../src/core/tool/budget.ts'
import type { ServerList } from '../../src/core/tool/remote-dialect.ts'
import type { ImportedTool, Importer, ImportRequest, SkippedTool } from '../../src/core/publish/import.ts'

export type Read = {
  readonly tools: readonly ImportedTool[]
  readonly skipped: readonly SkippedTool[]
  readonly version: string | undefined
  readonly skills?: ServerList['skills']
  /** Everything that was wrong with the request or its source. */
  readonly problems: readonly { readonly path: string; readonly message: string }[]
}

/** Reads a source to its end. */
export async function readAll(importer: Importer, request: Partial<ImportRequest>): Promise<Read> {
  const read = await importer.read({
    source: '',
    toolkit: 'There',
    isSelected: () => true,
    options: {},
    secret: (id) => ({ missing: `No secret '${id}' in this test` }),
    budget: createBudget(Infinity),
    yieldControl: async () => undefined,
    signal: new AbortController().signal,
    fetchCapability: new FetchCapability('test'),
    ...request,
  })
  if (!read.ok) {
    if (read.failure.type !== 'definition-invalid') throw new Error(`Failed with '${read.failure.type}'`)
    return { tools: [], skipped: [], version: undefined, problems: read.failure.problems }
  }
  const items = [...read.items]
  return {
    tools: items.flatMap((item) => ('tool' in item ? [item.tool] : [])),
    skipped: items.flatMap((item) => ('skipped' in item ? [item.skipped] : [])),
    version: read.version,
    ...(read.skills ? { skills: read.skills } : {}),
    problems: [],
  }
}
