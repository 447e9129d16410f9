import { formatToolset } from '../../access/change-toolset.ts'
import { formatLock, hashLocked, MAX_LOCK_BYTES } from '../../access/tool-lock.ts'
import { parsePolicy, type CheckSecretName } from '../../access/policy.ts'
import type { Principal } from '../../access/principal.ts'
import { computeDigest, type Sha256 } from '../../tool/digest.ts'
import type { Json } from '../../tool/json.ts'
import type { ToolRecord } from '../../tool/tool.ts'
import { type ParseResult, formatReadError, parseFailure } from '../../tool/problem.ts'
import type { ReadSkill } from '../../skill/skill.ts'
import type { PluginReader } from '../plugin-submission.ts'
import { type ArchivedRecord, type Line, type LineByKind, parseArchiveLine } from './line.ts'
import type { ArchiveRow, RegistryArchive, RowOutcome } from './archive-rows.ts'

export interface RestoreDeps {
  readonly archive: Pick<RegistryArchive, 'restore'>
  readonly plugins: Pick<PluginReader, 'store'>
  readonly sha256: Sha256
  readonly decodeBase64: (base64: string) => Uint8Array | undefined
  readonly readSkill: ReadSkill
  readonly loadSecretCheck: () => Promise<CheckSecretName>
}

export interface UnrestoredLine {
  readonly line: number
  readonly outcome: 'refused' | 'skipped'
  readonly about?: string
  readonly message: string
}

export type FileLine =
  { readonly line: number; readonly value: Json } | { readonly line: number; readonly problem: string }

/** Rows stored in one transaction. Between two transactions, the registry serves other requests. */
const MAX_ROWS = 100
const MAX_PLUGIN = 16 * 1024 * 1024

const NO_EXPORT = 'Must be an export: its first line is missing'

export function parseArchiveHeader(first: FileLine | undefined): ParseResult<LineByKind<'archive'>> {
  if (!first || 'problem' in first) return parseFailure(first?.problem ?? NO_EXPORT)
  const parsedLine = parseArchiveLine(first.value)
  if (!parsedLine.ok) return parsedLine
  const { value } = parsedLine
  return value.kind === 'archive' ? { ok: true, value } : parseFailure(NO_EXPORT)
}

/** Stores or refuses each line independently, so restoring the same file again changes nothing. */
export function createRestore(principal: Principal, deps: RestoreDeps, onProblem: (problem: UnrestoredLine) => void) {
  const counts = { created: 0, unchanged: 0, changed: 0, skipped: 0, refused: 0 }
  const toolkits = new Set<string>()
  let plugin: { readonly hash: string; readonly parts: number; readonly pieces: Uint8Array[]; size: number } | undefined
  let rows: { readonly line: number; readonly row: ArchiveRow }[] = []
  /** Undefined until the last line. */
  let endsComplete: boolean | undefined
  let checkSecretName: CheckSecretName | undefined

  function refuse(line: number, message: string, about?: string, outcome: UnrestoredLine['outcome'] = 'refused'): void {
    counts[outcome] += 1
    onProblem({ line, outcome, ...(about === undefined ? {} : { about }), message })
  }

  async function addLine(entry: FileLine): Promise<void> {
    const { line } = entry
    if (endsComplete !== undefined) {
      endsComplete = false
      return refuse(line, "Comes after the line of the kind 'end', which is the last")
    }
    if ('problem' in entry) return refuse(line, entry.problem)
    const parsed = parseArchiveLine(entry.value)
    return parsed.ok ? addParsedLine(line, parsed.value) : refuse(line, formatReadError('the line', parsed.problems))
  }

  async function addParsedLine(number: number, line: Line): Promise<void> {
    switch (line.kind) {
      case 'part':
        return undefined
      case 'end':
        endsComplete = line.lines === number - 1
        return undefined
      case 'archive':
        return refuse(number, 'Says a second time what the first line says')
      case 'blob':
        return addPluginPart(number, line)
      case 'policy': {
        checkSecretName ??= await deps.loadSecretCheck()
        const policy = parsePolicy(line.pattern, line.policy, checkSecretName)
        if (policy.ok) return addRow(number, { kind: 'policy', policy: policy.value })
        return refuse(number, formatReadError('the policy', policy.problems), line.pattern)
      }
      case 'lock': {
        const text = formatLock(line.lock)
        const hash = await hashLocked(text, deps.sha256)
        if (text.length <= MAX_LOCK_BYTES) return addRow(number, { kind: 'lock', hash, text })
        return refuse(number, `The lock is larger than ${MAX_LOCK_BYTES} bytes`, hash)
      }
      case 'toolset': {
        const { name, pending, ...current } = line.toolset
        for (const { definition, digest } of [current, pending ?? current]) {
          const digestNow = await hashLocked(formatToolset(name, definition), deps.sha256)
          if (digestNow !== digest) return refuse(number, `The digest must be '${digestNow}'`, name)
        }
        return addRow(number, line)
      }
      case 'skill': {
        const content = await deps.readSkill(line.name, line.files)
        if (!content.ok) return refuse(number, formatReadError('the skill', content.problems), line.name)
        if (content.value.digest === line.digest) return addRow(number, { ...line, ...content.value })
        return refuse(number, `The digest must be '${content.value.digest}'`, line.name)
      }
      case 'document': {
        const { kind, document, itself, ...rest } = line
        const text = JSON.stringify(document ?? null)
        const hash = await deps.sha256(text)
        return addRow(number, { kind, document: { ...rest, hash, text, ...(itself ? { itself } : {}) } })
      }
      case 'version': {
        const { digest, source: _, ...visible } = line.record
        const digestNow = await computeDigest(visible, deps.sha256)
        if (digestNow === digest)
          return addRow(number, { ...line, record: await toToolRecord(line.record, deps.sha256) })
        return refuse(number, `The digest must be '${digestNow}'`, line.record.id)
      }
      case 'toolkit':
      case 'name':
      case 'given':
        return addRow(number, line)
    }
  }

  async function addPluginPart(line: number, { sha256, part, parts, base64 }: LineByKind<'blob'>): Promise<void> {
    if (part === 0) plugin = { hash: sha256, parts, pieces: [], size: 0 }
    const bytes = deps.decodeBase64(base64)
    const isNext = plugin?.hash === sha256 && plugin.parts === parts && plugin.pieces.length === part && part < parts
    const size = (plugin?.size ?? 0) + (bytes?.byteLength ?? 0)
    if (!plugin || !isNext || !bytes || size > MAX_PLUGIN) {
      plugin = undefined
      if (!isNext) return refuse(line, `Is not the part of a plugin that comes next: part ${part} of ${parts}`, sha256)
      return refuse(line, bytes ? `The plugin is larger than ${MAX_PLUGIN} bytes` : 'Must be Base64', sha256)
    }
    plugin.pieces.push(bytes)
    plugin.size = size
    if (plugin.pieces.length < parts) return
    const joinedBytes = new Uint8Array(size)
    let offset = 0
    for (const piece of plugin.pieces) {
      joinedBytes.set(piece, offset)
      offset += piece.byteLength
    }
    plugin = undefined
    const problem = await deps.plugins.store(joinedBytes, sha256)
    if (problem !== undefined) refuse(line, problem, sha256)
  }

  async function addRow(line: number, row: ArchiveRow): Promise<void> {
    // The toolkits that belong to the file must be known before anything is put into them
    if (rows.length >= MAX_ROWS || (rows.at(-1)?.row.kind === 'toolkit' && row.kind !== 'toolkit')) await flush()
    const toolkit = findToolkit(row)
    if (toolkit === undefined || toolkits.has(toolkit.toLowerCase())) rows.push({ line, row })
    else {
      const message = `The toolkit '${toolkit}' is another's here, or no line before this says whose it is`
      refuse(line, message, formatSubject(row))
    }
  }

  async function flush(): Promise<void> {
    if (rows.length === 0) return
    const batch = rows
    rows = []
    const batchRows = batch.map(({ row }) => row)
    const outcomes = await deps.archive.restore(batchRows, principal)
    for (const [index, { line, row }] of batch.entries()) count(line, row, outcomes[index] ?? 'unchanged')
  }

  function count(line: number, row: ArchiveRow, outcome: RowOutcome): void {
    if (typeof outcome === 'object') {
      if ('refused' in outcome) return refuse(line, outcome.refused, formatSubject(row))
      return refuse(line, outcome.skipped, formatSubject(row), 'skipped')
    }
    if (row.kind !== 'document') counts[outcome] += 1
    if (row.kind === 'toolkit') toolkits.add(row.toolkit.toLowerCase())
  }

  return {
    take: addLine,
    flush,
    counts: () => ({ ...counts }),
    isWhole: (): boolean => endsComplete === true,
  }
}

/** Converts a record of an earlier export to the current form, with its fields in the order of publications. */
async function toToolRecord({ called, ...record }: ArchivedRecord, sha256: Sha256): Promise<ToolRecord> {
  const { byToolkit: _, ...source } = record.source
  if (called === undefined) return { ...record, source }
  const { id, securityLevel, implementation, source: __, digest: ___, ...definition } = record
  const visible = {
    ...definition,
    sourceName: called,
    id,
    securityLevel,
    ...(implementation ? { implementation } : {}),
  }
  return { ...visible, source, digest: await computeDigest(visible, sha256) }
}

function findToolkit(row: ArchiveRow): string | undefined {
  if (row.kind === 'document') return row.document.toolkit
  if (row.kind === 'skill') return row.toolkit
  return row.kind === 'version' && !row.bundled ? row.record.toolkit : undefined
}

function formatSubject(row: ArchiveRow): string {
  switch (row.kind) {
    case 'toolkit':
      return row.toolkit
    case 'policy':
      return row.policy.pattern
    case 'document':
      return row.document.itself?.id ?? row.document.toolkit
    case 'version':
      return row.record.id
    case 'toolset':
      return row.toolset.name
    case 'lock':
      return row.hash
    case 'skill':
    case 'name':
    case 'given':
      return row.name
  }
}
