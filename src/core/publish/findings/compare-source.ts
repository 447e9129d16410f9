import { ADMIN } from '../../access/principal.ts'
import { createBudget, SOURCE_UNITS } from '../../tool/budget.ts'
import { shortDescription } from '../../tool/definition-fields.ts'
import { foldDashes, parseToolId } from '../../tool/tool-id.ts'
import type { ToolSource } from '../../tool/tool-source.ts'
import type { Importer, ImportRefusal, ImportRequest } from '../import.ts'
import { importTools, toSourceKey } from '../import-tools.ts'
import type { Publish } from '../publish.ts'
import type { TextChange } from '../text-changes.ts'
import { type Comparison, type Difference, type ImportSource, MAX_FINDINGS, MAX_KNOWN_TOOLS } from './finding.ts'

type CompareDeps = Pick<ImportRequest, 'yieldControl' | 'signal' | 'fetchCapability' | 'secret'> & {
  readonly importer: Importer
  readonly publish: Publish
  readonly source: Pick<ToolSource, 'loadCurrent'>
}

/** For one tool. Breaking changes come first. */
const MAX_CHANGES = 10
const MAX_CHANGES_WITH_TEXTS = 3
const MAX_TEXT_CHARACTERS = 1_000
/** Shown before the first character that differs. */
const CONTEXT_CHARACTERS = 200

/** Compares the tools that a source lists now with the active tools here, by a dry run of its import. */
export async function compareSource(
  { toolkit, url, options, tools, known, description }: ImportSource,
  { importer, publish, source, ...request }: CompareDeps,
): Promise<Pick<Comparison, 'state' | 'differences'> & { readonly refusal?: ImportRefusal }> {
  const budget = createBudget(SOURCE_UNITS)
  const importedNames = new Set(tools)
  const listedNames = new Set<string>()
  const isSelected = (tool: string) => {
    listedNames.add(tool)
    return importedNames.has(tool)
  }
  const read = await importer.read({ ...request, source: url, toolkit, options, isSelected, budget })
  if (!read.ok) return { state: lacksCredential(read) ? 'credential' : 'unreachable', differences: [], refusal: read }
  const { yieldControl } = request
  const dryRun = { principal: ADMIN, dryRun: true, allowBreaking: true, isComparison: true, budget, yieldControl }
  const result = await importTools(read.items, dryRun, publish)
  const differences: Difference[] = []
  const add = (difference: Difference) => differences.length < MAX_FINDINGS && differences.push(difference)

  const newDescription = shortDescription(read.toolkitDescription)
  // A server whose revision is known is not asked to describe itself
  if (description !== undefined && newDescription !== undefined && newDescription !== description) {
    const what = 'The description of the source differs'
    add(createChanged([{ path: '/description', what, level: 'patch', before: description, after: newDescription }]))
  }
  for (const { id, state, changes = [] } of result.imported)
    if (state === 'changed') add({ ...createChanged(changes), tool: parseToolId(id)?.tool ?? id })
  // Once the budget is spent, unchanged tools are skipped too
  const isComplete = !budget.isExceeded
  const skipReasons = new Map(isComplete ? result.skipped.map(({ name, reason }) => [toSourceKey(name), reason]) : [])
  const loadActive = async (tool: string) =>
    differences.length < MAX_FINDINGS && (await source.loadCurrent({ toolkit, tool: foldDashes(tool) }))
  for (const name of tools) {
    const reason = skipReasons.get(toSourceKey(name))
    if (listedNames.has(name) && reason === undefined) continue
    const current = await loadActive(name)
    if (!current || !current.versions.some(({ status }) => status.state === 'active')) continue
    const { tool } = current
    if (!listedNames.has(name)) add({ tool, kind: 'gone', severity: 'breaking', changes: [] })
    else
      add({ ...createChanged([{ path: '', what: `It can no longer be imported: ${reason}`, level: 'major' }]), tool })
  }
  const knownNames = new Set([...known, ...tools])
  for (const name of known.length < MAX_KNOWN_TOOLS ? listedNames : [])
    if (!knownNames.has(name)) add({ tool: foldDashes(name), kind: 'new', severity: 'additive', changes: [] })
  return { state: isComplete ? 'complete' : 'partial', differences }
}

function createChanged(changes: readonly TextChange[]): Omit<Difference, 'tool'> {
  const breaking = changes.filter(isBreaking)
  const listedChanges = [...breaking, ...changes.filter((change) => !isBreaking(change))].slice(0, MAX_CHANGES)
  return {
    kind: 'changed',
    severity: breaking.length > 0 ? 'breaking' : 'additive',
    changes: listedChanges.map(cutTexts),
  }
}

/** Models read all texts except these as instructions. */
const UNREAD_TEXTS = /^\/(?:metadata|_meta|icons|tags)(?:\/|$)/

function isBreaking({ path, level, before, after }: TextChange): boolean {
  return level === 'major' || ((before ?? after) !== undefined && !UNREAD_TEXTS.test(path))
}

function cutTexts({ before, after, ...change }: TextChange, index: number): TextChange {
  if (index >= MAX_CHANGES_WITH_TEXTS) return change
  const [one, other] = [before ?? '', after ?? '']
  let same = 0
  while (same < one.length && one[same] === other[same]) same += 1
  const start = Math.max(0, same - CONTEXT_CHARACTERS)
  const cutText = (text: string | undefined) => {
    if (text === undefined) return undefined
    const part = text.slice(start, start + MAX_TEXT_CHARACTERS).toWellFormed()
    return `${start > 0 ? '…' : ''}${part}${text.length > start + MAX_TEXT_CHARACTERS ? '…' : ''}`
  }
  return { ...change, ...omitAbsent(cutText(before), cutText(after)) }
}

function omitAbsent(before: string | undefined, after: string | undefined): Pick<TextChange, 'before' | 'after'> {
  return { ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) }
}

function lacksCredential({ failure }: ImportRefusal): boolean {
  const problems = failure.type === 'definition-invalid' ? failure.problems : []
  return problems.some(({ path, message }) => path.startsWith('/credentials') || /\b40[13]\b/.test(message))
}
