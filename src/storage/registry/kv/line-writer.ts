import type { LineFormat } from '../../../core/catalog/catalog.ts'
import { applyPolicyToRecord } from '../../../core/access/policy.ts'
import { type Budget, createBudget, createYielder, DEFAULT_UNITS, textUnits } from '../../../core/tool/budget.ts'
import type { YieldControl } from '../../../core/tool/budget.ts'
import { textBytes } from '../../../core/cache/swr-cache.ts'
import type { ToolRecord } from '../../../core/tool/tool.ts'
import type { RegistryReach } from '../registry-stub.ts'
import type { CachedPolicies } from './kv-policies.ts'
import type { KvPage } from './kv-pages.ts'

export type WrittenFormat = Exclude<LineFormat, { name: 'stored' }>

export interface LineWriterOptions extends Pick<RegistryReach, 'memory'> {
  readonly attachDocuments: (records: readonly ToolRecord[]) => Promise<readonly ToolRecord[]>
  readonly policies: Pick<CachedPolicies, 'current'>
  readonly yieldControl: YieldControl
}

/** Writes the lines of a list from records, with the current policies. The lines of pages are cached. */
export function createLineWriter({ memory, attachDocuments, policies, yieldControl }: LineWriterOptions) {
  const cache = memory.partition<readonly string[]>((lines) => lines.reduce((sum, line) => sum + textBytes(line), 1))

  async function writeLines(
    records: readonly ToolRecord[],
    format: WrittenFormat,
    getName: (index: number) => string | undefined,
    work: Budget,
  ): Promise<readonly string[]> {
    const lines: string[] = []
    const policySet = policies.current()
    const mayGiveWay = createYielder(() => work.spent, yieldControl)
    for (const [index, record] of (await attachDocuments(records)).entries()) {
      await mayGiveWay()
      const effectiveRecord = applyPolicyToRecord(record, policySet.policyFor(record))
      const name = getName(index) || record.name
      const line = format.write(effectiveRecord, name, createBudget(DEFAULT_UNITS, work))
      work.spend(textUnits(line))
      lines.push(line)
    }
    return lines
  }

  async function writePage(page: KvPage, format: WrittenFormat, work: Budget): Promise<readonly string[]> {
    const key = `${format.name} ${policies.current().revision} ${page.hash}`
    const cachedLines = cache.get(key)
    if (cachedLines) return cachedLines
    const lines = await writeLines(page.records(), format, (index) => page.index[index]?.name, work)
    cache.set(key, lines)
    return lines
  }

  return { writeLines, writePage }
}
