import { parseFailure } from '../../../../src/core/tool/problem.ts'
import { expect, it } from 'vitest'
import type { ArchiveRow, RowOutcome } from '../../../../src/core/publish/archive/archive-rows.ts'
import { createRestore, parseArchiveHeader, type UnrestoredLine } from '../../../../src/core/publish/archive/restore.ts'
import { computeDigest, createToolRecord } from '../../../../src/core/tool/digest.ts'
import { ADMIN } from '../../../../src/core/access/principal.ts'
import { definitionOf, sha256 } from '../fakes.ts'

const KIT = { kind: 'toolkit', toolkit: 'Kit', owner: null }

/** A line of a version of `Kit`. */
async function version(tool: string, more: object = {}, hash?: string) {
  const record = await createToolRecord(
    { definition: definitionOf({ tool }), dialect: 'plain', document: tool, hash },
    sha256,
  )
  return {
    kind: 'version',
    status: { state: 'active' },
    publisher: { principal: 'key:a', trusted: true },
    ...more,
    record,
  }
}

async function restore(lines: readonly object[], outcomeOf: (row: ArchiveRow) => RowOutcome = () => 'created') {
  const told: UnrestoredLine[] = []
  const rows: ArchiveRow[][] = []
  const kept: Uint8Array[] = []
  const session = createRestore(
    ADMIN,
    {
      sha256,
      readSkill: async () => parseFailure('Is no skill'),
      loadSecretCheck: async () => (name) => (name === 'ADMIN_KEY' ? 'Is not for this' : undefined),
      decodeBase64: (base64) => (base64 === '!' ? undefined : new Uint8Array(Buffer.from(base64, 'base64'))),
      plugins: {
        async store(bytes) {
          kept.push(bytes)
          return bytes[0] === 0 ? 'Is no plugin' : undefined
        },
      },
      archive: {
        async restore(some, principal) {
          expect(principal).toBe(ADMIN)
          rows.push([...some])
          return some.map(outcomeOf)
        },
      },
    },
    (each) => told.push(each),
  )
  for (const [index, value] of lines.entries()) {
    await session.take({ line: index + 2, value: JSON.parse(JSON.stringify(value)) })
  }
  await session.flush()
  return { counts: session.counts(), isWhole: session.isWhole(), told, rows, kept }
}

const idsOf = (rows: readonly ArchiveRow[][]) =>
  rows.flat().flatMap((row) => (row.kind === 'version' ? row.record.id : []))

it('the first line must identify the file as an export', () => {
  expect(parseArchiveHeader({ line: 1, value: { kind: 'archive', format: 2 } })).toMatchObject({ ok: true })
  for (const first of [
    undefined,
    { line: 1, problem: 'Is no UTF-8' },
    { line: 1, value: KIT },
    { line: 1, value: 5 },
  ]) {
    expect(parseArchiveHeader(first)).toMatchObject({ ok: false })
  }
})

it('a version of an earlier export has its source name under the current field, with a new digest', async () => {
  const parts = { definition: definitionOf({ tool: 'get_x' }), dialect: 'plain', document: 'x', sourceName: 'get-x' }
  const record = await createToolRecord(parts, sha256)
  const { sourceName: called, source, digest: _, ...visible } = record
  const signed = { ...visible, called }
  const earlier = { ...visible, called, source: { ...source, byToolkit: true } }
  const line = {
    ...(await version('get_x')),
    record: { ...earlier, digest: await computeDigest(signed, sha256) },
  }
  const { rows, told } = await restore([KIT, line, { ...line, record: { ...earlier, digest: record.digest } }])
  expect(rows.flat().map((row) => row.kind === 'version' && JSON.stringify(row.record))).toEqual([
    false,
    JSON.stringify(record),
  ])
  expect(told).toMatchObject([{ line: 4, message: expect.stringMatching(/^The digest must be/) }])
})

it('a restored file has its lines counted, and is complete if its last line counts the lines before it', async () => {
  const all = [KIT, await version('A'), await version('B')]
  const whole = await restore([...all, { kind: 'end', lines: 4 }])
  expect(whole).toMatchObject({ isWhole: true, counts: { created: 3, unchanged: 0, refused: 0 }, told: [] })
  expect(idsOf(whole.rows)).toEqual(['Kit.A@1.0.0', 'Kit.B@1.0.0'])
  expect((await restore([...all, { kind: 'end', lines: 4 }, KIT])).isWhole).toBe(false)
  expect((await restore(all)).isWhole).toBe(false)
  expect((await restore([...all, { kind: 'end', lines: 5 }])).isWhole).toBe(false)
})

it('a restored file has its policies checked as if they were set', async () => {
  const policy = (pattern: string, said: object) => ({ kind: 'policy', pattern, policy: said })
  const { counts, told, rows } = await restore(
    [
      policy('Kit.*', { security_level: 5, secrets: ['KEY'] }),
      policy('*', { approval: true }),
      policy('Kit.Do', { security_level: 0 }),
      policy('Kit.Be', { secrets: ['ADMIN_KEY'] }),
      policy('Kit.Be', {}),
      policy('Kit', { approval: true }),
      KIT,
    ],
    (row) => (row.kind === 'policy' && row.policy.pattern === '*' ? { refused: 'Another holds' } : 'created'),
  )
  const given = rows.flat()
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

it('a restored file is sent to the registry a hundred rows at a time, documents before their versions, and each result is counted', async () => {
  const document = { kind: 'document', dialect: 'plain', toolkit: 'Kit', tools: {}, document: { of: 'all' } }
  const hash = await sha256(JSON.stringify(document.document))
  const versions = await Promise.all(Array.from({ length: 150 }, (_, index) => version(`T${index}`, {}, hash)))
  const { counts, rows } = await restore([KIT, document, ...versions], ({ kind }) =>
    kind === 'toolkit' ? 'unchanged' : 'created',
  )
  expect(rows.map(({ length }) => length)).toEqual([1, 100, 51])
  expect(rows[1]?.[0]).toMatchObject({ kind: 'document', document: { hash, text: '{"of":"all"}' } })
  expect(counts).toMatchObject({ created: 150, unchanged: 1 })
})

it('a restored file adds nothing to a toolkit whose line is missing or refused', async () => {
  const all = [await version('A')]
  for (const { counts, rows, told } of [
    await restore(all),
    await restore([KIT, ...all], () => ({ refused: 'It is another’s' })),
    await restore([{ ...KIT, toolkit: 'Kitten' }, ...all]),
  ]) {
    expect(idsOf(rows)).toEqual([])
    expect(counts.refused).toBeGreaterThan(0)
    expect(told.at(-1)).toMatchObject({ about: 'Kit.A@1.0.0', outcome: 'refused' })
  }
})

it('a restored file reports each refused line, and continues', async () => {
  const altered = await version('C')
  const { counts, told } = await restore(
    [KIT, await version('A'), { kind: 'nothing' }, { ...altered, record: { ...altered.record, title: 'x' } }],
    (row) => (row.kind === 'version' ? { refused: 'It is another here' } : 'created'),
  )
  expect(counts).toMatchObject({ created: 1, refused: 3 })
  expect(told.toSorted((a, b) => a.line - b.line)).toMatchObject([
    { line: 3, about: 'Kit.A@1.0.0', message: 'It is another here' },
    { line: 4, message: expect.stringContaining('Cannot read the line') },
    { line: 5, about: 'Kit.C@1.0.0', message: expect.stringContaining('The digest must be') },
  ])
})

it('a restored file reports what was skipped, whoever owns the toolkit', async () => {
  const line = await version('A', { bundled: true, status: { state: 'disabled' } })
  const { counts, told } = await restore([line], () => ({ skipped: 'Not carried' }))
  expect(counts).toMatchObject({ skipped: 1, refused: 0 })
  expect(told).toEqual([{ line: 2, outcome: 'skipped', about: 'Kit.A@1.0.0', message: 'Not carried' }])
})

const part = (at: number, base64: string, more: object = {}) => {
  return { kind: 'blob', sha256: 'a'.repeat(64), part: at, parts: 2, base64, ...more }
}

it('a plugin in a file is stored once all of its parts arrived', async () => {
  const { kept, told } = await restore([part(0, 'AQID'), part(1, 'BAU=')])
  expect(kept).toEqual([new Uint8Array([1, 2, 3, 4, 5])])
  expect(told).toEqual([])
})

it('a plugin in a file is refused if a part is missing, invalid or too large, or if it is not a plugin', async () => {
  const large = 'A'.repeat(12 * 1024 * 1024)
  for (const [lines, says] of [
    [[part(1, 'AQID')], 'comes next'],
    [[part(0, 'AQID'), part(1, 'AQID', { sha256: 'b'.repeat(64) })], 'comes next'],
    [[part(0, 'AQID'), part(1, 'AQID', { parts: 3 })], 'comes next'],
    [[part(0, '!')], 'Must be Base64'],
    [[part(0, large), part(1, large)], 'larger than 16777216 bytes'],
    [[part(0, 'AAAA'), part(1, 'AAAA')], 'Is no plugin'],
  ] as const) {
    const { counts, told } = await restore(lines)
    expect([counts.refused, told[0]?.message]).toEqual([1, expect.stringContaining(says)])
  }
})
