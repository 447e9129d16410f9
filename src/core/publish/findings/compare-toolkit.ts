import type { FetchCapability } from '../../access/principal.ts'
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
}

export type CompareToolkit = ReturnType<typeof createCompareToolkit>

/** Creates the function that compares a toolkit with its source and stores the findings. It sends only secrets that the import might send. */
export function createCompareToolkit({ importers, toolSecrets, findings, ...deps }: CompareToolkitDeps) {
  return async (importSource: ImportSource, fetchCapability: FetchCapability, signal: Signal) => {
    const { toolkit, kind, maySendSecrets } = importSource
    const importer = importers.find((candidate) => candidate.kind === kind)
    if (!importer) throw new Error(`No importer for '${kind}'`)
    const { compareSource } = await import('./compare-source.ts')
    const secret = (id: string) =>
      maySendSecrets
        ? toolSecrets.secretFor(id, { toolkit, tool: '*' })
        : { missing: `The import could not use the secret '${id}'` }
    const request = { importer, secret, fetchCapability, signal }
    const { refusal, ...comparison } = await compareSource(importSource, { ...deps, ...request })
    await findings.store(toolkit, comparison)
    return { ...comparison, refusal }
  }
}
