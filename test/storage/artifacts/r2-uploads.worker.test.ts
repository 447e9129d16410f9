import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import type { UploadOwner } from '../../../src/core/call/artifact-store.ts'
import { createR2Uploads, noUploads } from '../../../src/storage/artifacts/r2-uploads.ts'

const DAY = 86_400_000
const uploadsAt = (time: number) =>
  createR2Uploads(
    { bucket: env.ARTIFACTS, pendingWrites: (principal: string) => env.IdempotencyStore.getByName(principal) },
    () => time,
  )

async function kept(owner: UploadOwner, text = 'words', at = Date.now()) {
  const body = new Response(text).body
  const result = await uploadsAt(at).keep(
    { contentType: 'text/csv', filename: 'ü "a".csv', size: text.length, body },
    owner,
  )
  if (!result.ok) throw new Error(JSON.stringify(result))
  return result
}
const owner = (userId?: string): UploadOwner => ({ principal: `key:${crypto.randomUUID()}`, userId })

describe('a file', () => {
  it('is found by its owner, with the declared type and filename', async () => {
    const own = owner('ünn')
    const { id, expires } = await kept(own)
    const found = await uploadsAt(Date.now()).find(id, own)
    expect(found).toMatchObject({ contentType: 'text/csv', filename: 'ü "a".csv', size: 5, expires })
    expect(await found?.base64()).toBe(btoa('words'))
    expect(new TextDecoder().decode(await found?.bytes())).toBe('words')
    expect(await new Response(await found?.read({ offset: 1, length: 2 })).text()).toBe('or')
  })

  it('cannot be found by anyone else, whatever ids they use', async () => {
    const own = owner('ann')
    const { id } = await kept(own)
    const others = [
      { principal: own.principal },
      { ...own, userId: 'bob' },
      owner('ann'),
      { principal: `${own.principal}/ann` },
    ]
    for (const other of others) {
      expect(await uploadsAt(Date.now()).find(id, other)).toBeUndefined()
      expect(await uploadsAt(Date.now()).remove(id, other)).toBe(false)
    }
    expect(await uploadsAt(Date.now()).find(`../${id}`, own)).toBeUndefined()
    expect(await uploadsAt(Date.now()).remove(id, own)).toBe(true)
    expect(await uploadsAt(Date.now()).remove(id, own)).toBe(false)
  })

  it('expires after a day, and is deleted when its owner uploads the next one', async () => {
    const own = owner()
    const { id } = await kept(own)
    const later = uploadsAt(Date.now() + DAY + 2_000)
    expect(await later.find(id, own)).toBeUndefined()
    const before = await env.ARTIFACTS.list({ prefix: 'upload/' })
    expect(before.objects.some(({ key }) => key.endsWith(id))).toBe(true)
    await later.keep({ contentType: 'a/b', size: 0, body: null }, own)
    const after = await env.ARTIFACTS.list({ prefix: 'upload/' })
    expect(after.objects.some(({ key }) => key.endsWith(id))).toBe(false)
  })

  it('is refused if its owner has too many bytes over all users', async () => {
    const own = owner('a')
    await kept(own)
    const most = { contentType: 'a/b', size: 536_870_910, body: null }
    expect(await uploadsAt(Date.now()).keep(most, { ...own, userId: 'b' })).toMatchObject({
      failure: { type: 'conflict', message: expect.stringContaining('536870912 bytes of files') },
    })
  })
})

describe('without a bucket', () => {
  it('no file can be uploaded or found', async () => {
    const upload = { contentType: 'a/b', size: 0, body: null }
    expect(await noUploads.keep(upload, owner())).toEqual({
      ok: false,
      failure: {
        type: 'unavailable',
        message: 'This deployment has no place to keep files: its operator must set that up',
        forOperator: expect.stringContaining('[[r2_buckets]]'),
      },
    })
    expect(await noUploads.find('x', owner())).toBeUndefined()
    expect(await noUploads.remove('x', owner())).toBe(false)
  })
})
