import { parseFailure } from '../../../src/core/tool/problem.ts'
import { Hono } from 'hono'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type ArchiveDeps, createArchive } from '../../../src/api/archive/export-and-restore.ts'
import { ADMIN } from '../../../src/core/access/principal.ts'
import type { ArchiveRow } from '../../../src/core/publish/archive/archive-rows.ts'
import { sha256 } from '../../core/publish/fakes.ts'
import { findUnreadText } from '../../../src/http/response/unread-text.ts'
import { createArchiveRoutes } from '../../../src/api/archive/routes.ts'
import { authorizerFor } from '../../http/authorizer-for.ts'

/** Records the order of reads, transactions with their number of rows, and yields to other work. */
function archiveDeps(reads: number, characters: number, lineAt?: (read: number) => object) {
  const done: string[] = []
  const deps: ArchiveDeps = {
    authorize: authorizerFor(),
    respond: () => new Response(),
    sha256,
    archive: {
      async read(cursor) {
        const at = Number(cursor?.['at'] ?? 0)
        done.push('read')
        const line = lineAt?.(at) ?? { kind: 'policy', pattern: '*', policy: {}, x: 'x'.repeat(characters) }
        const text = `${JSON.stringify(line)}\n`
        return { text, lines: 1, ...(at + 1 < reads ? { next: { at: at + 1 } } : {}) }
      },
      async restore(rows: readonly ArchiveRow[]) {
        done.push(`restore ${rows.length}`)
        return rows.map(() => 'created' as const)
      },
    },
    signer: { sign: async () => 'signed', verify: async (_, signature) => signature === 'signed' },
    plugins: { store: async () => undefined },
    readSkill: async () => parseFailure('Is no skill'),
    readBlob: async () => undefined,
    encodeBase64: () => '',
    decodeBase64: () => undefined,
    yieldControl: async () => void done.push('gave way'),
    loadSecretCheck: async () => () => undefined,
    now: () => new Date(0),
    version: '1.0.0',
  }
  return { done, deps }
}

function archiveOf(...how: Parameters<typeof archiveDeps>) {
  const { done, deps } = archiveDeps(...how)
  return { done, archive: createArchive(deps) }
}

it('yields to other requests after each read of an export, and signs many reads at once', async () => {
  const { done, archive } = archiveOf(40, 50_000)
  const text = await (await archive.exportArchive(undefined, () => undefined)).text()
  expect(done).toEqual(Array.from({ length: 40 }, () => ['read', 'gave way']).flat())
  expect(text.match(/"kind":"policy"/g)).toHaveLength(40)
  // One after the first line, and one for each of two million characters
  expect(text.match(/"kind":"part"/g)).toHaveLength(3)
})

it('restores signed lines, and reports whether the file was complete', async () => {
  const { done, archive } = archiveOf(3, 0, (at) => ({ kind: 'name', name: `n${at}`, tool: 'Kit.Do' }))
  const lines = (await (await archive.exportArchive(undefined, () => undefined)).text()).trim().split('\n')
  expect(lines.map((line) => JSON.parse(line).kind)).toEqual(['archive', 'part', 'name', 'name', 'name', 'part', 'end'])
  const app = new Hono().post('/import', async (c) => {
    const answer = await archive.restoreArchive(c, ADMIN, false)
    return answer instanceof Response ? answer : c.json(answer.failure, 422)
  })
  const restore = async (sent: readonly string[]) => {
    done.splice(0)
    const headers = { 'content-type': 'application/jsonl' }
    const answer = await app.request('/import', { method: 'POST', body: `${sent.join('\n')}\n`, headers })
    const told: object[] = (await answer.text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    return { status: answer.status, told, restored: done.filter((each) => each.startsWith('restore')) }
  }
  const end = (complete: boolean, created: number, refused: number) =>
    expect.objectContaining({ done: true, created, refused, complete })
  expect(await restore(lines)).toEqual({ status: 200, told: [end(true, 3, 0)], restored: ['restore 3'] })
  // Every part is signed, but the file is incomplete
  expect(await restore(lines.slice(0, -1))).toEqual({ status: 200, told: [end(false, 3, 0)], restored: ['restore 3'] })
  for (const line of [3, 4, 5]) {
    const brokenOff = { line: 3, outcome: 'refused', message: 'The file is incomplete: its last signature is missing' }
    const { status, told, restored } = await restore(lines.slice(0, line))
    expect({ status, told, restored }).toEqual({ status: 200, told: [brokenOff, end(false, 0, 1)], restored: [] })
  }
  const forged = lines.map((line) => line.replace('"hmac":"signed"', '"hmac":"forged"'))
  expect(await restore(forged)).toMatchObject({ status: 422, restored: [] })
})

it('restores many rows in a transaction, and yields to other requests after some lines', async () => {
  const { done, archive } = archiveOf(0, 0)
  const lines = [
    { kind: 'archive', format: 2 },
    ...Array.from({ length: 1_000 }, (_, at) => ({ kind: 'name', name: `n${at}`, tool: 'Kit.Do' })),
  ]
  const body = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  const app = new Hono().post('/import', async (c) => {
    const answer = await archive.restoreArchive(c, ADMIN, true)
    return answer instanceof Response ? answer : c.text('failed', 500)
  })
  const answer = await app.request('/import', {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/jsonl' },
  })
  expect((await answer.text()).trim().split('\n').at(-1)).toContain('"created":1000')
  expect(done.filter((each) => each === 'restore 100')).toHaveLength(10)
  const stretches = done.join(' ').split('gave way')
  expect(stretches.length).toBeGreaterThan(15)
  for (const stretch of stretches) expect(stretch.match(/restore/g)?.length ?? 0).toBeLessThan(2)
  expect(stretches.length).toBeLessThan(25)
})

it.each(['read', 'cancelled'] as const)(
  "a ninth export that is not an administrator's is refused until one is %s",
  async (end) => {
    const { deps } = archiveDeps(40, 50_000)
    const router = createArchiveRoutes({ ...deps, respond: ({ type }) => new Response(type, { status: 429 }) })
    const background = { waitUntil: () => undefined, passThroughOnException: () => undefined, props: {} }
    const requestExport = () => router.request('/export', {}, {}, background)
    const exports: Response[] = []
    for (let n = 0; n < 8; n += 1) exports.push(await requestExport())
    expect(exports.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200))
    expect((await requestExport()).status).toBe(429)
    await (end === 'read' ? exports[0]?.text() : exports[0]?.body?.cancel())
    const next = await requestExport()
    expect(next.status).toBe(200)
    for (const { body } of [...exports.slice(1), next]) await body?.cancel()
  },
)

describe('an export whose reader', () => {
  afterEach(() => void vi.useRealTimers())

  /** Reads a piece every `intervalMs`. Returns how that ended, the characters, and whether the memory was released. */
  async function readExport(readMs: number, intervalMs: number) {
    vi.useFakeTimers({ now: 0 })
    const { deps } = archiveDeps(4, 900_000)
    const read: typeof deps.archive.read = async (...page) => {
      await new Promise((resolve) => setTimeout(resolve, readMs))
      return deps.archive.read(...page)
    }
    const response = await createArchive({ ...deps, archive: { ...deps.archive, read } }).exportArchive(
      undefined,
      () => undefined,
    )
    let isReleased = false
    void findUnreadText(response)
      ?.watch()
      .then(() => (isReleased = true))
    const reader = response.body!.getReader()
    let characters = 0
    const ended = (async () => {
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        characters += part.value.length
        await new Promise((resolve) => setTimeout(resolve, intervalMs))
      }
      return 'read'
    })().catch((error: Error) => error.message)
    await vi.advanceTimersByTimeAsync(1_200_000)
    return { end: await Promise.race([ended, 'waiting']), characters, isReleased }
  }

  it.each([
    [
      'takes less than 16 kB a second is cut off, and its memory released',
      0,
      10_000,
      'The answer was not read in time',
    ],
    ['takes more than 16 kB a second is waited for', 0, 3_000, 'read'],
    ['waits for storage is waited for', 100_000, 0, 'read'],
  ] as const)('an export whose reader %s', async (_, readMs, intervalMs, end) => {
    const result = await readExport(readMs, intervalMs)
    expect(result).toEqual({ end, characters: expect.any(Number), isReleased: true })
    expect(result.characters > 3_600_000).toBe(end === 'read')
  })
})
