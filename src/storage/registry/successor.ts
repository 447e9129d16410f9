import type { KeptDocument } from '../../core/publish/registry.ts'
import { checkSuccessor, checkWholeSuccessor } from '../../core/schema/compatibility.ts'
import type { Problem } from '../../core/tool/problem.ts'
import { toolKey } from '../../core/tool/tool-id.ts'
import type { ToolRecord } from '../../core/tool/tool.ts'
import { compareVersions, isPrerelease } from '../../core/tool/version.ts'
import { calledIn, type DocumentRow } from './documents.ts'
import { recordText, versionsOf } from './versions.ts'

export function successorProblems(
  sql: SqlStorage,
  records: readonly ToolRecord[],
  document: KeptDocument | undefined,
  published: readonly DocumentRow[],
): readonly Problem[] {
  return [
    ...(document ? wholeProblems(sql, document, published) : []),
    ...records.flatMap((record) => {
      const previous = previousOf(sql, record)
      return previous ? checkSuccessor(previous, record) : []
    }),
  ]
}

function wholeProblems(
  sql: SqlStorage,
  { dialect, itself, tools }: KeptDocument,
  published: readonly DocumentRow[],
): readonly Problem[] {
  const previous = itself && highestBelow(published, itself.version)
  if (!previous) return []
  const before = { version: previous.version, tools: calledIn(sql, dialect, previous) }
  return checkWholeSuccessor(before, { version: itself.version, tools: Object.keys(tools) })
}

/** Versions are compared with the highest lower release that was not withdrawn. */
function previousOf(sql: SqlStorage, record: ToolRecord): ToolRecord | undefined {
  const key = toolKey(record)
  const standing = versionsOf(sql, key).filter(({ status }) => status.state !== 'yanked')
  const lower = highestBelow(standing, record.version)
  const text = lower && recordText(sql, key, lower.version)
  return text === undefined ? undefined : JSON.parse(text)
}

function highestBelow<T extends { readonly version: string }>(versions: readonly T[], below: string): T | undefined {
  return versions
    .filter(({ version }) => !isPrerelease(version) && compareVersions(version, below) < 0)
    .sort((a, b) => compareVersions(b.version, a.version))[0]
}
