import { describe, expect, it } from 'vitest'
import { parseArchiveLine } from '../../../../src/core/publish/archive/line.ts'
import type { ArchiveCursor, VersionState } from '../../../../src/core/publish/archive/archive-rows.ts'
import type { RegistryObject } from '../../../../src/storage/registry/registry-object.ts'
import { ADMIN, documentPublication, inRegistry, publication, publications, rowsOf, stopClock } from '../set-up.ts'

stopClock()

/** Every part of an export, and its lines. */
async function read(registry: RegistryObject, toolkit?: string) {
  const parts: string[] = []
  const blobs: string[] = []
  let cursor: ArchiveCursor | undefined
  do {
    const part = await registry.readArchive(cursor, toolkit)
    expect(part.text.split('\n').length - 1).toBe(part.lines)
    parts.push(part.text)
    if (part.blob !== undefined) blobs.push(part.blob)
    cursor = part.next && structuredClone(part.next)
    expect(parts.length).toBeLessThan(1_000)
  } while (cursor)
  const lines = parts.flatMap((text) => text.split('\n').filter((line) => line !== '')).map((line) => JSON.parse(line))
  return { parts, blobs, lines }
}
const STANDING: VersionState = {
  status: { state: 'active' },
  held: false,
  unreviewed: false,
  publisher: { principal: 'x', trusted: true },
}
/** A version as an export tells it. */
async function versionRow(id: string, standing = STANDING, more: Readonly<Record<string, unknown>> = {}) {
  const [record] = (await publication(id, more)).records
  if (!record) throw new Error('No record')
  return { kind: 'version' as const, ...standing, bundled: false, record }
}
const idsOf = (lines: readonly { kind: string; record?: { id: string } }[]) =>
  lines.flatMap(({ record }) => record?.id ?? [])

describe('the export of a registry', () => {
  it('is empty for an empty registry', async () => {
    await inRegistry(async ({ registry }) => {
      expect(await registry.readArchive(undefined, undefined)).toEqual({ text: '', lines: 0 })
    })
  })

  it('has every version once, in order of publication, in parts of limited size', async () => {
    await inRegistry(async ({ registry, sql }) => {
      const large = await Promise.all(
        Array.from({ length: 40 }, (_, n) =>
          publication(`Large.T${99 - n}@1.0.0`, { description: `${n} ${'x'.repeat(120_000)}` }),
        ),
      )
      await registry.publish([...large, ...(await publications(0, 700))], ADMIN)
      const { parts, lines } = await read(registry)
      expect(parts.length).toBeGreaterThan(3)
      // The object answers others between parts: one has little, and a large version at most
      for (const part of parts) expect(part.length).toBeLessThan(32_000 + 250_000)
      expect(parts.filter((part) => part.length > 40_000)).toHaveLength(40)
      expect(idsOf(lines)).toHaveLength(740)
      expect(idsOf(lines).slice(0, 3)).toEqual(['Large.T99@1.0.0', 'Large.T98@1.0.0', 'Large.T97@1.0.0'])
      const stored = sql.exec<{ record: string }>('SELECT record FROM version ORDER BY rowid').toArray()
      expect(lines.flatMap(({ record }) => (record ? [JSON.stringify(record)] : []))).toEqual(
        stored.map(({ record }) => record),
      )
      // A part reads what is in it, however much comes before and however many tools were given no names
      const last = await rowsOf(sql, async () => registry.readArchive({ phase: 'versions', after: 730 }, undefined))
      expect(last).toBeLessThan(150)
    })
  })

  it('of a toolkit has that toolkit only, ignoring case, and none whose name merely begins the same', async () => {
    await inRegistry(async ({ registry }) => {
      await registry.publish(
        await Promise.all(['Kit.A@1.0.0', 'Kitten.B@1.0.0', 'Kit.C@1.0.0', 'Kat.D@1.0.0'].map((id) => publication(id))),
        ADMIN,
      )
      const { lines } = await read(registry, 'KIT')
      expect(idsOf(lines)).toEqual(['Kit.A@1.0.0', 'Kit.C@1.0.0'])
      expect(lines.filter(({ kind }) => kind === 'toolkit')).toEqual([{ kind: 'toolkit', toolkit: 'Kit', owner: 'x' }])
      expect(lines.filter(({ kind }) => kind === 'name').map(({ name }) => name)).toEqual(['kit_a', 'kit_c'])
      expect((await read(registry, 'none')).lines).toEqual([])
    })
  })

  it('has all policies first, and for a toolkit only those whose patterns lie within it', async () => {
    await inRegistry(async ({ registry }) => {
      const patterns = ['*', '*.Delete*', 'Kit*', 'Kit.*', 'kit.Do', 'Kitten.*', 'K*.*']
      for (const pattern of patterns) {
        expect(await registry.putPolicy({ pattern, security_level: 5, limits: { concurrency: 1 } })).toBe('created')
      }
      await registry.publish([await publication('Kit.A@1.0.0')], ADMIN)
      const policiesOf = async (toolkit?: string) => {
        const { lines } = await read(registry, toolkit)
        const found = lines.filter(({ kind }) => kind === 'policy')
        expect(lines.slice(0, found.length)).toEqual(found)
        return found.map(({ pattern }) => pattern)
      }
      expect((await policiesOf()).toSorted()).toEqual(patterns.toSorted())
      expect(await policiesOf('KIT')).toEqual(['Kit.*', 'kit.Do'])
      expect(await policiesOf('None')).toEqual([])
      const [line] = (await read(registry, 'kit')).lines
      expect(line).toEqual({
        kind: 'policy',
        pattern: 'Kit.*',
        policy: { security_level: 5, limits: { concurrency: 1 } },
      })
    })
  })

  it('has policies that only administrators can restore, and only if there is no other', async () => {
    await inRegistry(async ({ registry, restart }) => {
      const policy = { pattern: 'Kit.*', security_level: 5 }
      const nobody = { ...ADMIN, id: 'x', scopes: ['tools:publish'] as const }
      const restore = async (fact: object, as = ADMIN) =>
        (await registry.restore([{ kind: 'policy', policy: { ...policy, ...fact } }], as)).outcomes[0]
      expect(await restore({}, nobody)).toMatchObject({ refused: expect.stringContaining('administrator') })
      expect(await restore({})).toBe('created')
      expect(await restore({})).toBe('unchanged')
      expect(await restore({ security_level: 1 })).toMatchObject({ refused: expect.stringContaining('Another policy') })
      expect(await restore({ pattern: 'KIT.*' })).toMatchObject({ refused: expect.any(String) })
      restart()
      expect((await read(registry)).lines).toEqual([
        { kind: 'policy', pattern: 'Kit.*', policy: { security_level: 5 } },
      ])
    })
  })

  it('has each document once before its versions, even if parts are cut between them', async () => {
    await inRegistry(async ({ registry }) => {
      const names = Array.from({ length: 30 }, (_, n) => `c${n}`)
      await registry.publish(
        [
          await documentPublication('one', '1.0.0', names),
          await publication('Kit.A@1.0.0'),
          await documentPublication('one', '1.1.0', [...names, 'more']),
        ],
        ADMIN,
      )
      const { lines } = await read(registry)
      const from = lines.findIndex(({ kind }) => kind === 'document')
      const kinds = lines.slice(from).map(({ kind, record }) => record?.source.hash?.slice(0, 4) ?? kind)
      const changes = kinds.filter((kind, index) => kind !== kinds[index - 1])
      expect(changes).toEqual(['document', expect.any(String), 'version', 'document', expect.any(String)])
      // From any version on, its document comes first again
      const again = (await registry.readArchive({ phase: 'versions', after: 10 }, undefined)).text.split('\n')
      expect(JSON.parse(again[0] ?? '')).toMatchObject({ kind: 'document', itself: { id: 'one', version: '1.0.0' } })
    })
  })

  it('names the bytes of a plugin before the versions that run them, and resumes after them', async () => {
    await inRegistry(async ({ registry }) => {
      const of = (id: string, blob: string) => publication(id, {}, { implementation: { kind: 'echo', blob } })
      const all = await Promise.all([of('Box.A@1.0.0', 'a'), of('Box.B@1.0.0', 'a'), of('Box.C@1.0.0', 'b')])
      const wasm = all.map((each) => ({
        ...each,
        records: each.records.map((record) => ({
          ...record,
          implementation: { ...record.implementation, kind: 'wasm' },
        })),
      }))
      await registry.publish(wasm, ADMIN)
      const { blobs, lines, parts } = await read(registry)
      expect(blobs).toEqual(['a', 'b'])
      expect(parts).toHaveLength(3)
      expect(idsOf(lines)).toEqual(['Box.A@1.0.0', 'Box.B@1.0.0', 'Box.C@1.0.0'])
    })
  })
})

describe('a whole toolkit', () => {
  it('is exported with its own status and that of its versions, and is restored the same', async () => {
    let text = ''
    await inRegistry(async ({ registry }) => {
      await registry.publish([await publication('Kit.A@1.0.0'), await publication('Gone.B@1.0.0')], ADMIN)
      await registry.changeToolkit('Kit', { status: { state: 'disabled' }, tags: ['old'] }, ADMIN)
      await registry.changeToolkit('Gone', { status: { state: 'disabled' } }, ADMIN)
      await registry.changeToolkit('Gone', 'delete', ADMIN)
      const { lines } = await read(registry)
      const kit = {
        kind: 'toolkit',
        toolkit: 'Kit',
        owner: 'x',
        status: { state: 'disabled' },
        held: true,
        tags: ['old'],
      }
      expect(lines).toMatchObject([kit, { kind: 'name' }, { kind: 'version', status: { state: 'active' } }])
      text = JSON.stringify(lines[0])
    })
    await inRegistry(async ({ registry, drain, kv }) => {
      expect((await registry.restore([JSON.parse(text)], ADMIN)).outcomes).toEqual(['created'])
      const standing = {
        status: { state: 'active' },
        held: false,
        unreviewed: false,
        publisher: { principal: 'x', trusted: true },
      } as const
      await registry.restore([await versionRow('Kit.A@1.0.0', standing)], ADMIN)
      await drain()
      expect(JSON.parse(kv.values.get('tool/kit.a') ?? '').versions).toMatchObject([{ status: { state: 'disabled' } }])
      expect(JSON.stringify((await read(registry)).lines[0])).toBe(text)
      expect((await registry.restore([JSON.parse(text)], ADMIN)).outcomes).toEqual(['unchanged'])
    })
  })
})

describe('a version that awaits review', () => {
  it('is restored as such, refused or not, with the review setting', async () => {
    const ann = { ...ADMIN, id: 'key:ann', kind: 'key', scopes: ['tools:publish'] } as const
    const other = { ...ann, id: 'key:other', tools: ['Kit.*'] }
    const lines: readonly { kind: string; status: { state: 'pending' }; unreviewed?: boolean }[] = await new Promise(
      (done, fail) => {
        inRegistry(async ({ registry }) => {
          await registry.publish([await publication('Kit.A@1.0.0')], ann)
          await registry.changeToolkit('Kit', { review: true }, ann)
          await registry.publish([await publication('Kit.A@1.1.0'), await publication('Kit.A@1.2.0')], other)
          await registry.change({ toolkit: 'Kit', tool: 'A' }, '1.2.0', { status: { state: 'disabled' } }, ann)
          done((await read(registry)).lines)
        }).catch(fail)
      },
    )
    const [toolkit, , ...versions] = lines
    expect(toolkit).toMatchObject({ kind: 'toolkit', review: true })
    expect(versions.map(({ status, unreviewed }) => [status.state, unreviewed])).toEqual([
      ['active', undefined],
      ['pending', true],
      ['disabled', true],
    ])
    for (const line of lines) expect(parseArchiveLine(JSON.parse(JSON.stringify(line)))).toMatchObject({ ok: true })
    await inRegistry(async ({ registry }) => {
      const read = parseArchiveLine(JSON.parse(JSON.stringify(toolkit)))
      if (!read.ok || read.value.kind !== 'toolkit') throw new Error('No toolkit')
      expect((await registry.restore([read.value], ADMIN)).outcomes).toEqual(['created'])
      expect(registry.toolkit('Kit')).toMatchObject({ review: true, owner: { principal: 'key:ann' } })
      const publisher = { principal: 'key:other', trusted: true }
      const standings = versions.map(({ status, unreviewed = false }) => ({
        status,
        held: false,
        unreviewed,
        publisher,
      }))
      for (const [index, standing] of standings.entries()) {
        await registry.restore([await versionRow(`Kit.A@1.${index}.0`, standing)], ADMIN)
      }
      for (const version of ['1.1.0', '1.2.0']) {
        const set = { status: { state: 'active' } } as const
        expect(await registry.change({ toolkit: 'Kit', tool: 'A' }, version, set, other)).toHaveProperty(
          'failure.type',
          'forbidden',
        )
        expect(await registry.change({ toolkit: 'Kit', tool: 'A' }, version, set, ann)).toHaveProperty('document')
      }
    })
  })
})

describe('an import from another registry', () => {
  it('changes nothing if an identical version is stored, and is refused if it differs', async () => {
    await inRegistry(async ({ registry }) => {
      await registry.publish([await publication('Kit.A@1.0.0')], ADMIN)
      const row = await versionRow('Kit.A@1.0.0')
      const [stored] = (await read(registry)).lines.filter(({ kind }) => kind === 'version')
      const other = { ...row, record: { ...row.record, description: 'Another' } }
      const wasm = (await versionRow('Kit.P@1.0.0')).record
      const rows = [
        { ...row, record: stored.record },
        other,
        await versionRow('KIT.a@1.1.0'),
        { ...row, record: { ...wasm, implementation: { kind: 'wasm', blob: 'b' } } },
        { ...row, record: { ...wasm, source: { dialect: 'plain', hash: 'h' } } },
        { ...row, bundled: true },
      ]
      expect((await registry.restore(rows, ADMIN)).outcomes).toEqual([
        'unchanged',
        { refused: expect.stringContaining('never changes') },
        { refused: expect.stringContaining('ignoring case') },
        { refused: expect.stringContaining('No bytes of its plugin') },
        { refused: expect.stringContaining('No document') },
        { skipped: expect.stringContaining('bundled') },
      ])
    })
  })

  it('has a document before its versions, and keeps its owner', async () => {
    await inRegistry(async ({ registry }) => {
      const { document } = await documentPublication('one', '1.0.0', ['a'])
      const row = (more: object) => ({ kind: 'document' as const, document: { ...document!, ...more } })
      const all = [row({}), row({}), row({ text: '{}', hash: 'h' }), row({ toolkit: 'Other' })]
      expect((await registry.restore(all, ADMIN)).outcomes).toEqual([
        'created',
        'unchanged',
        { refused: expect.stringContaining('never changes') },
        { refused: expect.stringContaining("that of a document in the toolkit 'one'") },
      ])
    })
  })

  it('restores the status, and a version that was not active is never active in between', async () => {
    await inRegistry(async ({ registry, sql, kv, drain }) => {
      const standing = {
        status: { state: 'disabled' },
        held: true,
        unreviewed: false,
        publisher: { principal: 'key:gone', trusted: false },
      } as const
      const one = await versionRow('Kit.A@1.0.0', standing, { name: 'wanted' })
      expect((await registry.restore([one], ADMIN)).outcomes).toEqual(['created'])
      await drain()
      const row = sql.exec('SELECT status, held, publisher, trusted FROM version').one()
      expect(row).toEqual({ status: '{"state":"disabled"}', held: 1, publisher: 'key:gone', trusted: 0 })
      expect(sql.exec('SELECT * FROM name').toArray()).toEqual([])
      expect(JSON.parse(kv.values.get('tool/kit.a') ?? '').versions).toMatchObject([{ status: { state: 'disabled' } }])
      // Its size counts toward its publisher's quota
      expect(registry.listPublishedTotals()).toMatchObject({ 'key:gone': { documents: 1 } })
      const key = { ...ADMIN, kind: 'key', scopes: ['tools:publish'] } as const
      const rows = [one, { kind: 'toolkit', toolkit: 'K', owner: 'y', held: false, tags: [] }] as const
      const refused = { refused: expect.stringContaining('Only an administrator') }
      expect((await registry.restore(rows, key)).outcomes).toEqual([refused, refused])
    })
  })

  it('reserves names before the tools exist, for those tools only', async () => {
    await inRegistry(async ({ registry }) => {
      const facts = [
        { kind: 'toolkit', toolkit: 'Kit', owner: 'key:a', held: false, tags: [] },
        { kind: 'name', name: 'find', tool: 'Kit.Second' },
        { kind: 'given', name: 'found', tool: 'Kit.Second' },
      ] as const
      expect((await registry.restore(facts, ADMIN)).outcomes).toEqual([
        'created',
        'created',
        { refused: expect.stringContaining('no tool') },
      ])
      await registry.publish(
        [
          await publication('Kit.First@1.0.0', { name: 'find' }),
          await publication('Kit.Second@1.0.0', { name: 'find' }),
        ],
        ADMIN,
      )
      expect(await registry.findKeyByName('find')).toBe('kit.second')
      expect((await registry.restore(facts, ADMIN)).outcomes).toEqual(['unchanged', 'unchanged', 'created'])
      expect((await registry.restore(facts, ADMIN)).outcomes).toEqual(['unchanged', 'unchanged', 'unchanged'])
      expect(await registry.findKeyByName('found')).toBe('kit.second')
      const others = [
        { kind: 'toolkit', toolkit: 'kit', owner: 'key:b', held: false, tags: [] },
        { kind: 'toolkit', toolkit: 'kit', owner: null, held: false, tags: [] },
        { kind: 'name', name: 'FIND', tool: 'Kit.First' },
        { kind: 'given', name: 'found', tool: 'Kit.First' },
        { kind: 'given', name: 'other', tool: 'Kit.Second' },
        { kind: 'given', name: 'Kit_Second', tool: 'Kit.First' },
      ] as const
      for (const outcome of (await registry.restore(others, ADMIN)).outcomes) expect(outcome).toHaveProperty('refused')
    })
  })
})
