import { parseTrusted } from '../../../core/tool/json-text.ts'
import type { Publication } from '../../../core/publish/registry.ts'
import { checkSuccessor, checkToolSetSuccessor } from '../../../core/schema/compatibility.ts'
import type { Problem } from '../../../core/tool/problem.ts'
import { toolKey } from '../../../core/tool/tool-id.ts'
import type { ToolRecord } from '../../../core/tool/tool.ts'
import { compareVersions, isPrerelease } from '../../../core/tool/version.ts'
import { listDocumentNames, type DocumentVersion } from '../document-aliases.ts'
import { listVersions, recordText } from '../versions.ts'

/** Compares each version with the highest lower release. Yanked versions of tools do not count. */
export function checkSuccessors(
  sql: SqlStorage,
  { records, schemaPaths, document }: Publication,
  newRecords: readonly ToolRecord[],
  documentVersions: readonly DocumentVersion[],
): readonly Problem[] {
  const problems = newRecords.flatMap((record) => {
    const key = toolKey(record)
    const notYanked = listVersions(sql, key).filter(({ status }) => status.state !== 'yanked')
    const previous = highestBelow(notYanked, record.version)
    const text = previous && recordText(sql, key, previous.version)
    return text === undefined ? [] : checkSuccessor(parseTrusted(text), record, schemaPaths?.[records.indexOf(record)])
  })
  const previous = document?.itself && highestBelow(documentVersions, document.itself.version)
  // Each tool reports a change of the whole document
  const distinctProblems = [...new Map(problems.map((each) => [`${each.path} ${each.message}`, each])).values()]
  if (!previous) return distinctProblems
  const { dialect, tools } = document
  const { version } = document.itself
  const before = { version: previous.version, tools: listDocumentNames(sql, dialect, previous) }
  return [...checkToolSetSuccessor(before, { version, tools: Object.keys(tools) }), ...distinctProblems]
}

function highestBelow<T extends { readonly version: string }>(versions: readonly T[], below: string): T | undefined {
  return versions
    .filter(({ version }) => !isPrerelease(version) && compareVersions(version, below) < 0)
    .sort((a, b) => compareVersions(b.version, a.version))[0]
}
