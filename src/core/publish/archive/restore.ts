import { decodePolicy, type JudgeSecret } from '../../access/policy.ts'
import type { Principal } from '../../access/principal.ts'
import type { Sha256 } from '../../tool/digest.ts'
import type { Json } from '../../tool/json.ts'
import { type Checked, cannotRead } from '../../tool/problem.ts'
import type { ToolSource } from '../../tool/tool-source.ts'
import type { Publish } from '../publish.ts'
import type { RegistryWriter } from '../registry.ts'
import { createDocumentBefore } from './document-before.ts'
import { type Line, type LineOf, readLine } from './line.ts'
import { createPluginBefore, type PluginBeforeDeps } from './plugin-before.ts'
import type { Fact, RegistryArchive } from './registry-archive.ts'
import { publishVersions, type VersionToRestore } from './restore-versions.ts'

export interface RestoreDeps extends PluginBeforeDeps {
  readonly publish: Publish
  readonly archive: Pick<RegistryArchive, 'holds' | 'holdsBlob' | 'restore'>
  readonly writer: Pick<RegistryWriter, 'change'>
  readonly source: Pick<ToolSource, 'current'>
  readonly sha256: Sha256
  /** Which secrets policies may name here. */
  readonly judgeSecrets: () => Promise<JudgeSecret>
}

/** What became of the lines that say what is to be; documents and the bytes of plugins go with their versions. */
export type Outcome = 'created' | 'unchanged' | 'changed' | 'skipped' | 'refused'
export type Counts = Readonly<Record<Outcome, number>>

/** Told of each line that did not become what it says: which one, what it is about, and why. */
export interface Told {
  readonly line: number
  readonly outcome: 'refused' | 'skipped'
  readonly about?: string
  readonly message: string
}

/** A line of the file, parsed, or why it cannot be; lines are counted from 1. */
export type FileLine =
  { readonly line: number; readonly value: Json } | { readonly line: number; readonly problem: string }

export interface Restored {
  readonly counts: Counts
  /** Whether the file's last line was there and says as many lines as came. */
  readonly isWhole: boolean
}

/** So much is sent to the registry together. */
const MAX_FACTS = 500
const MAX_VERSIONS = 50
const MAX_CHARACTERS = 4_000_000

/** The first line of an export, which says that it is one. */
export function readHeader(first: FileLine | undefined): Checked<LineOf<'archive'>> {
  const none = { ok: false, problems: [{ path: '', message: 'Must be an export: its first line is missing' }] } as const
  if (!first) return none
  if ('problem' in first) return { ok: false, problems: [{ path: '', message: first.problem }] }
  const read = readLine(first.value)
  if (!read.ok) return read
  const { value } = read
  return value.kind === 'archive' ? { ok: true, value } : none
}

/**
 * Takes an export in, line by line and in order, for an administrator: each line becomes so or is refused by itself, and what
 * is so already stays untouched; so the same file a second time changes nothing. What is published goes through the one door.
 */
export function createRestore(principal: Principal, deps: RestoreDeps, tell: (told: Told) => void) {
  const { archive, source, writer } = deps
  const counts: Record<Outcome, number> = { created: 0, unchanged: 0, changed: 0, skipped: 0, refused: 0 }
  /** Toolkits that are here whose the file says they are, in lower case. */
  const toolkits = new Set<string>()
  const document = createDocumentBefore(deps.sha256)
  const plugin = createPluginBefore(deps)
  let facts: { readonly line: number; readonly fact: Fact }[] = []
  let versions: VersionToRestore[] = []
  let characters = 0
  let lines = 1
  let end: number | undefined
  let judgeSecret: JudgeSecret | undefined

  function count(outcome: Outcome, many = 1): void {
    counts[outcome] += many
  }

  function refuse(line: number, message: string, about?: string, outcome: Told['outcome'] = 'refused'): void {
    count(outcome)
    tell({ line, outcome, ...(about === undefined ? {} : { about }), message })
  }

  async function take(given: FileLine): Promise<void> {
    const { line } = given
    if (end !== undefined) return refuse(line, "Comes after the line of the kind 'end', which is the last")
    if ('problem' in given) {
      lines += 1
      return refuse(line, given.problem)
    }
    const read = readLine(given.value)
    if (!read.ok || read.value.kind !== 'end') lines += 1
    return read.ok ? takeRead(line, read.value) : refuse(line, cannotRead('the line', read.problems))
  }

  async function takeRead(line: number, read: Line): Promise<void> {
    switch (read.kind) {
      case 'end':
        end = read.lines
        return undefined
      case 'archive':
        return refuse(line, 'Says a second time what the first line says')
      case 'toolkit':
      case 'name':
      case 'given':
        return takeFact(line, read)
      case 'policy': {
        judgeSecret ??= await deps.judgeSecrets()
        const policy = decodePolicy(read.pattern, read.policy, judgeSecret)
        if (policy.ok) return takeFact(line, { kind: 'policy', policy: policy.value })
        return refuse(line, cannotRead('the policy', policy.problems), read.pattern)
      }
      case 'document': {
        const problem = await document.take(read)
        return problem === undefined ? undefined : refuse(line, problem)
      }
      case 'blob': {
        await flushVersions()
        const problem = plugin.take(read)
        return problem === undefined ? undefined : refuse(line, problem, read.sha256)
      }
      case 'version':
        await flushFacts()
        return takeVersion(line, read)
    }
  }

  async function takeFact(line: number, fact: Fact): Promise<void> {
    await flushVersions()
    facts.push({ line, fact })
    return facts.length < MAX_FACTS ? undefined : flushFacts()
  }

  async function takeVersion(line: number, version: LineOf<'version'>): Promise<void> {
    const { record } = version
    if (version.bundled) return takeBundled(line, version)
    if (!toolkits.has(record.toolkit.toLowerCase())) {
      const message = `The toolkit '${record.toolkit}' is another's here, or no line before this says whose it is`
      return refuse(line, message, record.id)
    }
    versions.push({ line, version, document: document.of(record) })
    characters += JSON.stringify(record).length
    // What one document made is stored together
    const isFull = versions.length >= MAX_VERSIONS || characters > MAX_CHARACTERS
    return isFull && record.source.hash === undefined ? flushVersions() : undefined
  }

  /** A bundled tool is the deployment's: what was said of its status is said again, where nobody says anything here. */
  async function takeBundled(line: number, { record, status }: LineOf<'version'>): Promise<void> {
    const current = await source.current(record)
    const entry = current?.versions.find(({ version }) => version === record.version)
    if (!current || entry?.publisher.principal !== 'bundle') {
      return refuse(line, 'It is bundled with deployments, and this one does not carry it', record.id, 'skipped')
    }
    // What deployments carry awaits no review
    if (status.state === 'active' || status.state === 'pending' || entry.status.state !== 'active')
      return count('unchanged')
    const changed = await writer.change(current, record.version, { status }, principal)
    if (changed?.ok) return count('changed')
    return refuse(line, changed?.reason ?? 'There is no such version any more', record.id)
  }

  async function flushFacts(): Promise<void> {
    if (facts.length === 0) return
    const some = facts
    facts = []
    const outcomes = await archive.restore(
      some.map(({ fact }) => fact),
      principal,
    )
    for (const [index, { line, fact }] of some.entries()) {
      const outcome = outcomes[index] ?? 'unchanged'
      if (typeof outcome === 'object') refuse(line, outcome.refused, subjectOf(fact))
      else {
        count(outcome)
        if (fact.kind === 'toolkit') toolkits.add(fact.toolkit.toLowerCase())
      }
    }
  }

  async function flushVersions(): Promise<void> {
    if (versions.length === 0) return
    const some = versions
    versions = []
    characters = 0
    const outcomes = await publishVersions(some, principal, { ...deps, plugin })
    for (const [index, { line, version }] of some.entries()) {
      const outcome = outcomes[index] ?? 'unchanged'
      if (typeof outcome === 'object') refuse(line, outcome.refused, version.record.id)
      else count(outcome)
    }
  }

  async function finish(): Promise<Restored> {
    await flushFacts()
    await flushVersions()
    return { counts, isWhole: end === lines }
  }

  return { take, finish, counts: (): Counts => ({ ...counts }) }
}

/** What a fact is about, as it is told of. */
function subjectOf(fact: Fact): string {
  if (fact.kind === 'toolkit') return fact.toolkit
  return fact.kind === 'policy' ? fact.policy.pattern : fact.name
}
