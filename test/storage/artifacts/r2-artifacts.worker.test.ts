import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import type { ArtifactLink, ArtifactOwner, StorableContent } from '../../../src/core/call/artifact-store.ts'
import { createDeploymentKeys } from '../../../src/storage/sealing/deployment-keys.ts'
import { createR2Artifacts, noArtifacts } from '../../../src/storage/artifacts/r2-artifacts.ts'
import { artifactKey } from '../../../src/storage/keys.ts'

const OWNER: ArtifactOwner = {
  callId: 'call 1',
  tool: 'A.B@1.0.0',
  principal: 'key:k',
  userId: 'ünn@x.test',
  requestUrl: () => 'https://here.test:8443/tools/call?x=1',
}
const START = Date.UTC(2026, 0, 1)
const DAY = 86_400_000

/** The artifacts of a deployment whose secret this is, at a time. */
function artifactsAt(time: number, secret = 'the secret') {
  const keys = createDeploymentKeys({ deploymentSecret: async () => secret })
  return createR2Artifacts(
    { bucket: env.ARTIFACTS, pendingWrites: (principal: string) => env.IdempotencyStore.getByName(principal) },
    keys.signer('artifact'),
    () => time,
  )
}

async function kept(what: StorableContent, owner = OWNER) {
  const result = await artifactsAt(START).put(what, owner)
  if (!result.ok) throw new Error(result.why)
  const url = new URL(result.url)
  const link: ArtifactLink = {
    id: url.pathname.split('/')[2] ?? '',
    expires: url.searchParams.get('expires') ?? '',
    signature: url.searchParams.get('signature') ?? '',
  }
  return { result, url, link }
}

const text = (words: string, contentType = 'text/csv'): StorableContent => ({ content: { text: words }, contentType })

async function read(link: ArtifactLink, part?: { offset: number; length: number }) {
  const found = await artifactsAt(START).open(link)
  if (typeof found === 'string') return found
  return { ...found, body: await new Response((await found.read(part)) ?? null).arrayBuffer() }
}

describe('an artifact', () => {
  it('is read by its link, as a whole and in parts', async () => {
    const { result, url, link } = await kept(text('a,ü'))
    expect(url.origin).toBe('https://here.test:8443')
    expect(result).toMatchObject({ size: 4, expiresAt: '2026-01-02T00:00:00.000Z' })
    const found = await read(link)
    expect(found).toMatchObject({ contentType: 'text/csv; charset=utf-8', size: 4 })
    if (typeof found === 'string') throw new Error(found)
    expect(found.etag).toMatch(/^"\w+"$/)
    expect(new TextDecoder().decode(found.body)).toBe('a,ü')
    expect([new TextDecoder().decode(await found.bytes()), await found.base64()]).toEqual(['a,ü', 'YSzDvA=='])
    const part = await read(link, { offset: 1, length: 1 })
    expect(typeof part !== 'string' && new TextDecoder().decode(part.body)).toBe(',')
  })

  it('can contain bytes, and has its own content type', async () => {
    const { link } = await kept({ content: { base64: btoa('\u0000\u00ff') }, contentType: 'image/png' })
    const found = await read(link)
    expect(found).toMatchObject({ contentType: 'image/png', size: 2 })
    expect(typeof found !== 'string' && new Uint8Array(found.body)).toEqual(new Uint8Array([0, 255]))
    const line = await kept({ content: { base64: '-_\r\n-_' }, contentType: 'a/b' })
    expect(line.result.size).toBe(3)
    const bad = await artifactsAt(START).put({ content: { base64: 'not Base64!' }, contentType: 'a/b' }, OWNER)
    expect(bad).toEqual({ ok: false, why: expect.stringContaining('Base64') })
  })

  it('is not stored for a caller without a credential', async () => {
    expect(await artifactsAt(START).put(text('x'), { ...OWNER, principal: 'anonymous' })).toEqual({
      ok: false,
      why: 'nothing is kept for callers without a credential',
    })
  })

  it('replaces the oldest one of the same principal at the limit, and none of another principal', async () => {
    const now = Date.now()
    const mine = { ...OWNER, principal: `key:${crypto.randomUUID()}` }
    const keep = async (owner: ArtifactOwner) => {
      const result = await artifactsAt(now).put(text('x'), owner)
      if (!result.ok) throw new Error(result.why)
      return new URL(result.url).pathname.split('/')[2] ?? ''
    }
    const [others, oldest, second] = [await keep(OWNER), await keep(mine), await keep(mine)]
    const { key } = (await env.ARTIFACTS.head(artifactKey(second))) ?? {}
    await Promise.all(Array.from({ length: 498 }, (_, each) => env.ARTIFACTS.put(`${key}${each}`, '')))
    const newest = await keep(mine)
    const found = await Promise.all([others, oldest, second, newest].map((id) => env.ARTIFACTS.head(artifactKey(id))))
    expect(found.map((each) => each !== null)).toEqual([true, false, true, true])
  })

  it('names its call and tool in the metadata of the bucket', async () => {
    const { link } = await kept(text('x'))
    const stored = await env.ARTIFACTS.head(artifactKey(link.id))
    expect(stored?.customMetadata).toEqual({
      call: 'call%201',
      tool: encodeURIComponent(OWNER.tool),
      principal: 'key%3Ak',
      user: encodeURIComponent('ünn@x.test'),
      expires: link.expires,
    })
  })
})

describe('a link', () => {
  it('is valid for a day', async () => {
    const { link } = await kept(text('x'))
    expect(await artifactsAt(START + DAY - 1_000).open(link)).toBeTypeOf('object')
    expect(await artifactsAt(START + DAY).open(link)).toBe('expired')
  })

  it('is invalid if any part of it was changed, or another deployment signed it', async () => {
    const { link } = await kept(text('x'))
    const { link: other } = await kept(text('y'))
    const forged: ArtifactLink[] = [
      { ...link, id: other.id },
      { ...link, signature: other.signature },
      { ...link, expires: String(Number(link.expires) + 1) },
      { ...link, expires: `0${link.expires}` },
      { ...link, signature: '' },
      { ...link, signature: `${link.signature}A` },
      { ...link, signature: link.signature.slice(1) },
      { ...link, id: '../secrets' },
      { id: '', expires: '', signature: '' },
    ]
    for (const each of forged) expect(await artifactsAt(START).open(each), JSON.stringify(each)).toBe('forged')
    expect(await artifactsAt(START, 'another secret').open(link)).toBe('forged')
  })

  it('finds nothing once its object is deleted', async () => {
    const { link } = await kept(text('x'))
    const opened = await artifactsAt(START).open(link)
    await env.ARTIFACTS.delete(artifactKey(link.id))
    expect(typeof opened === 'object' && (await opened.read())).toBeUndefined()
    expect(await artifactsAt(START).open(link)).toBe('missing')
  })
})

describe('a deployment without a bucket', () => {
  it('stores nothing, and says which binding it needs', async () => {
    const kept = await noArtifacts.put(text('x'), OWNER)
    const forOperator = expect.stringMatching(/ARTIFACTS.*\[\[r2_buckets\]\]/)
    expect(kept).toEqual({ ok: false, why: 'this deployment has no place to keep it', forOperator })
    expect(await noArtifacts.open({ id: '', expires: '', signature: '' })).toBe('missing')
  })
})
