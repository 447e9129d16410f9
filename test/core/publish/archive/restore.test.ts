import { describe, expect, it } from 'vitest'
import type { Fact, FactOutcome } from '../../../../src/core/publish/archive/registry-archive.ts'
import { createRestore, readHeader, type Told } from '../../../../src/core/publish/archive/restore.ts'
import type { Report } from '../../../../src/core/publish/report.ts'
import { recordOf } from '../../../../src/core/publish/record.ts'
import type { RestoredSubmission, Submission } from '../../../../src/core/publish/submission.ts'
import { ADMIN } from '../../../../src/core/access/principal.ts'
import type { ToolStatus } from '../../../../src/core/tool/version.ts'
import { definitionOf, documentOf, sha256 } from '../fakes.ts'

const KIT = { kind: 'toolkit', toolkit: 'Kit', owner: null }

/** A line of a version of `Kit`. */
async function version(tool: string, more: object = {}, hash?: string) {
  const record = await recordOf({ definition: definitionOf({ tool }), dialect: 'plain', document: tool, hash }, sha256)
  return {
    kind: 'version',
    status: { state: 'active' },
    publisher: { principal: 'key:a', trusted: true },
    ...more,
    record,
  }
}

interface World {
  /** The ids of what is here to the letter. */
  readonly held?: readonly string[]
  readonly facts?: (fact: Fact) => FactOutcome
  readonly report?: (submission: RestoredSubmission) => Report
  /** How a bundled tool stands. */
  readonly bundled?: ToolStatus
}

async function restore(lines: readonly object[], { held = [], facts, report, bundled }: World = {}) {
  const told: Told[] = []
  const published: string[][] = []
  const changes: unknown[] = []
  const session = createRestore(
    ADMIN,
    {
      sha256,
      judgeSecrets: async () => (name) => (name === 'ADMIN_KEY' ? 'Is not for this' : undefined),
      bytesOf: () => undefined,
      plugins: { keep: async () => undefined },
      archive: {
        holds: async (records) => records.map(({ id }) => held.includes(id)),
        holdsBlob: async (hash) => hash.startsWith('a'),
        restore: async (all) => all.map((fact) => facts?.(fact) ?? 'created'),
      },
      source: {
        async current(name) {
          if (!bundled) return undefined
          const record = await recordOf({ definition: definitionOf(name), dialect: 'plain', document: 1 }, sha256)
          const document = documentOf([record], { status: bundled })
          const publisher = { principal: 'bundle', trusted: true }
          return { ...document, versions: document.versions.map((each) => ({ ...each, publisher })) }
        },
      },
      writer: {
        async change(name, _, change) {
          changes.push(change)
          return { ok: true, document: { ...name, versions: [] } }
        },
      },
      async publish(submissions: readonly Submission[], { principal, allowBreaking }) {
        expect([principal, allowBreaking]).toEqual([ADMIN, true])
        return submissions.map((submission): Report => {
          if (!('restored' in submission)) throw new Error('Is no restored submission')
          const ids = submission.restored.map(({ record }) => record.id)
          published.push(ids)
          return report?.(submission) ?? { ok: true, outcome: 'created', ids, warnings: [] }
        })
      },
    },
    (each) => told.push(each),
  )
  for (const [index, value] of lines.entries()) {
    await session.take({ line: index + 2, value: JSON.parse(JSON.stringify(value)) })
  }
  return { ...(await session.finish()), told, published, changes }
}

describe('the first line', () => {
  it('must say that the file is an export', () => {
    expect(readHeader({ line: 1, value: { kind: 'archive', format: 1 } })).toMatchObject({ ok: true })
    for (const first of [
      undefined,
      { line: 1, problem: 'Is no UTF-8' },
      { line: 1, value: KIT },
      { line: 1, value: 5 },
    ]) {
      expect(readHeader(first)).toMatchObject({ ok: false })
    }
  })
})

describe('a file that is restored', () => {
  it('is counted, and whole if its last line counts the lines before it', async () => {
    const all = [KIT, await version('A'), await version('B')]
    const whole = await restore([...all, { kind: 'end', lines: 4 }])
    expect(whole).toMatchObject({ isWhole: true, counts: { created: 3, unchanged: 0, refused: 0 }, told: [] })
    expect(whole.published).toEqual([['Kit.A@1.0.0'], ['Kit.B@1.0.0']])
    expect((await restore(all)).isWhole).toBe(false)
    expect((await restore([...all, { kind: 'end', lines: 5 }])).isWhole).toBe(false)
  })

  it('has the policies that it says, judged as they are where they are put', async () => {
    const policy = (pattern: string, said: object) => ({ kind: 'policy', pattern, policy: said })
    const given: Fact[] = []
    const facts = (fact: Fact): FactOutcome => {
      given.push(fact)
      return fact.kind === 'policy' && fact.policy.pattern === '*' ? { refused: 'Another holds' } : 'created'
    }
    const { counts, told } = await restore(
      [
        policy('Kit.*', { security_level: 5, secrets: ['KEY'] }),
        policy('*', { approval: true }),
        policy('Kit.Do', { security_level: 0 }),
        policy('Kit.Be', { secrets: ['ADMIN_KEY'] }),
        policy('Kit.Be', {}),
        policy('Kit', { approval: true }),
        KIT,
      ],
      { facts },
    )
    expect(given[0]).toEqual({ kind: 'policy', policy: { pattern: 'Kit.*', security_level: 5, secrets: ['KEY'] } })
    expect(given).toHaveLength(3)
    expect(counts).toMatchObject({ created: 2, refused: 5 })
    expect(told.map(({ line, about }) => [line, about])).toEqual([
      [4, 'Kit.Do'],
      [5, 'Kit.Be'],
      [6, 'Kit.Be'],
      [7, undefined],
      [3, '*'],
    ])
    expect(told[1]?.message).toContain('Is not for this')
  })

  it('leaves what is here as it is', async () => {
    const { counts, published } = await restore([KIT, await version('A'), await version('B')], {
      held: ['Kit.A@1.0.0'],
      facts: () => 'unchanged',
    })
    expect(counts).toMatchObject({ created: 1, unchanged: 2 })
    expect(published).toEqual([['Kit.B@1.0.0']])
  })

  it('stores together what one document made, and not what another did', async () => {
    const document = { kind: 'document', dialect: 'plain', toolkit: 'Kit', tools: {}, document: { of: 'all' } }
    const hash = await sha256(JSON.stringify(document.document))
    const { published } = await restore([
      KIT,
      await version('Alone'),
      document,
      await version('A', {}, hash),
      await version('B', {}, hash),
      { ...document, toolkit: 'Else' },
      await version('C', {}, hash),
    ])
    expect(published).toEqual([['Kit.Alone@1.0.0'], ['Kit.A@1.0.0', 'Kit.B@1.0.0'], ['Kit.C@1.0.0']])
  })

  it('puts nothing into a toolkit of which no line says, or a line that is refused, whose it is', async () => {
    const facts = () => ({ refused: 'It is another’s' })
    const all = [await version('A')]
    for (const { counts, published, told } of [
      await restore(all),
      await restore([KIT, ...all], { facts }),
      await restore([{ ...KIT, toolkit: 'Kitten' }, ...all]),
    ]) {
      expect(published).toEqual([])
      expect(counts.refused).toBeGreaterThan(0)
      expect(told.at(-1)).toMatchObject({ about: 'Kit.A@1.0.0', outcome: 'refused' })
    }
  })

  it('says of each line that is refused which it is, and goes on', async () => {
    const { counts, told } = await restore([KIT, await version('A'), { kind: 'nothing' }, await version('B')], {
      report: ({ restored: [first] }) =>
        first?.record.tool === 'A'
          ? { ok: false, ids: [], failure: { type: 'conflict', message: 'It is another here' } }
          : {
              ok: false,
              ids: [],
              failure: { type: 'definition-invalid', problems: [{ path: '/record', message: 'Bad' }] },
            },
    })
    expect(counts).toMatchObject({ created: 1, refused: 3 })
    expect(told.toSorted((a, b) => a.line - b.line)).toMatchObject([
      { line: 3, about: 'Kit.A@1.0.0', message: 'It is another here' },
      { line: 4, message: expect.stringContaining('Cannot read the line') },
      { line: 5, about: 'Kit.B@1.0.0', message: "Cannot read the line at 'record': Bad" },
    ])
  })

  it('leaves bundled tools to deployments, and says again what was said of their status', async () => {
    const line = await version('A', { bundled: true, status: { state: 'disabled' } })
    expect(await restore([line])).toMatchObject({ counts: { skipped: 1 }, changes: [], published: [] })
    expect(await restore([line], { bundled: { state: 'active' } })).toMatchObject({
      counts: { changed: 1 },
      changes: [{ status: { state: 'disabled' } }],
    })
    const stands = await restore([line], { bundled: { state: 'yanked' } })
    expect(stands).toMatchObject({ counts: { unchanged: 1 }, changes: [] })
    const active = await version('A', { bundled: true })
    expect(await restore([active], { bundled: { state: 'disabled' } })).toMatchObject({ changes: [] })
  })

  it('wants the bytes of a plugin before the tools that run them, unless they are here', async () => {
    const plugin = async (blob: string) => {
      const line = await version('A')
      return { ...line, record: { ...line.record, implementation: { kind: 'wasm', blob: blob.repeat(64), tool: 'a' } } }
    }
    expect(await restore([KIT, await plugin('a')])).toMatchObject({ counts: { created: 2 } })
    const { told } = await restore([KIT, await plugin('b')])
    expect(told).toMatchObject([{ message: expect.stringContaining('No bytes of its plugin') }])
  })
})
