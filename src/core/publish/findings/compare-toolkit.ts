import type { FetchCapability, Principal } from '../../access/principal.ts'
import type { ToolSecrets } from '../../access/tool-secrets.ts'
import type { YieldControl } from '../../tool/budget.ts'
import type { Signal } from '../../tool/platform.ts'
import type { ToolSource } from '../../tool/tool-source.ts'
import type { Importer } from '../import.ts'
import type { Publish } from '../publish.ts'
import type { FindingStore, ImportSource } from './finding.ts'

export interface CompareToolkitDeps {
  readonly importers: readonly Importer[]
  readonly publish: Publish
  readonly source: Pick<ToolSource, 'loadCurrent'>
  readonly toolSecrets: Pick<ToolSecrets, 'secretFor'>
  readonly findings: Pick<FindingStore, 'store'>
  readonly yieldControl: YieldControl
  readonly isAnnounced: boolean
}

export type CompareToolkit = ReturnType<typeof createCompareToolkit>

/**
 * Also publishes changed tools if publications of their importer are reviewed. They are pending then, because here the
 * importer has no more rights than others.
 */
function createPendingPublish(
  { toolkit, importer, isTrusted }: ImportSource,
  { publish }: Pick<CompareToolkitDeps, 'publish'>,
): Publish {
  const tools = [isTrusted ? `${toolkit}.*` : '*']
  const principal: Principal = { id: importer, kind: 'key', scopes: ['tools:publish'], tools, users: [] }
  return async (submissions, options) => {
    const results = await publish(submissions, options)
    const changedSubmissions = submissions.flatMap((submission, index) => {
      const result = results[index]
      const isChanged = result?.ok && result.imported?.state === 'changed'
      return isChanged ? [{ ...submission, isComparison: false, requiresReview: true }] : []
    })
    if (changedSubmissions.length > 0)
      await publish(changedSubmissions, { ...options, principal, dryRun: false, allowBreaking: false })
    return results
  }
}

/** Creates the function that compares a toolkit with its source and stores findings. Sends only secrets that the import may. */
export function createCompareToolkit({ importers, toolSecrets, findings, isAnnounced, ...deps }: CompareToolkitDeps) {
  return async (importSource: ImportSource, fetchCapability: FetchCapability, signal: Signal) => {
    const { toolkit, kind, maySendSecrets } = importSource
    const importer = importers.find((candidate) => candidate.kind === kind)
    if (!importer) throw new Error(`No importer for '${kind}'`)
    const { compareSource } = await import('./compare-source.ts')
    const secret = (id: string) =>
      maySendSecrets
        ? toolSecrets.secretFor(id, { toolkit, tool: '*' })
        : { missing: `The import could not use the secret '${id}'` }
    const publish = createPendingPublish(importSource, deps)
    const request = { importer, secret, fetchCapability, signal }
    const { refusal, ...comparison } = await compareSource(importSource, { ...deps, publish, ...request })
    await findings.store({ toolkit, isAnnounced, ...comparison })
    return { ...comparison, refusal }
  }
}
