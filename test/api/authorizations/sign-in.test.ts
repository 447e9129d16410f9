import { describe, expect, it } from 'vitest'
import { FetchCapability, type Principal } from '../../../src/core/access/principal.ts'
import type { UploadOwner } from '../../../src/core/call/artifact-store.ts'
import { fail } from '../../../src/core/failure/failure.ts'
import type { SignedInSession } from '../../../src/http/caller/sessions.ts'
import { noArtifacts } from '../../../src/storage/artifacts/r2-artifacts.ts'
import { AWAY, awayOf } from '../../http/on-page-error.ts'
import { APPROVAL, GRANT, ORIGIN, setUp } from './set-up.ts'

const findSession = (user: string, more: Partial<Principal> = {}): SignedInSession => ({
  principal: { id: `person:${user}`, kind: 'person', scopes: ['tools:call'], tools: ['*'], users: [user], ...more },
  session: {
    id: 's',
    authenticatedBy: { kind: 'person', issuer: 'https://id.test', person: { user, groups: [] } },
    owner: `person:${user}`,
    origin: ORIGIN,
    browser: '',
    created_at: '',
    expires_at: '',
  },
  fetchCapability: new FetchCapability('test'),
})
const NOBODY = fail({ type: 'unauthenticated', reason: 'Nobody' })
const publisher = { scopes: ['tools:publish'] as const, tools: ['Bank.*'] }
const page = (id: string) => `/authorizations/${id}/start`

describe('a page for people who are signed in', () => {
  it('asks to sign in, and returns to the page', async () => {
    const { get, post, acts } = setUp({ hasVerifier: false, findSession: NOBODY })
    for (const answer of [await get(page(GRANT.id)), await post(page(GRANT.id), { decision: 'continue' })]) {
      const text = await answer.text()
      expect(text).toContain('Sign in first')
      expect(text).toContain(`href="/sign-in?return=${page(GRANT.id)}"`)
      for (const hidden of ['ann', 'Gmail', 'gmail.readonly', 'Google']) expect(text).not.toContain(hidden)
    }
    expect(acts()).toBe(0)
  })

  it('is not shown to a session from before its person was deactivated', async () => {
    const { get, post, acts } = setUp({ hasVerifier: false, findSession: findSession('ann'), hasLeft: true })
    for (const { id } of [GRANT, APPROVAL])
      for (const answer of [await get(page(id)), await post(page(id), { decision: 'continue' })])
        expect(await answer.text()).toContain('Sign in first')
    expect(acts()).toBe(0)
  })

  it('is only for the user, which the vault checks', async () => {
    const { get, post, port } = setUp({ hasVerifier: false, findSession: findSession('ann') })
    const text = await (await get(page(GRANT.id))).text()
    expect(text).toContain('Signed in as')
    await post(page(GRANT.id), { decision: 'continue' })
    const person = { user: 'ann', principal: 'person:ann', approves: false }
    expect(port.start.mock.calls[0]).toMatchObject([GRANT.id, { person }])
    await post(page(APPROVAL.id), { decision: 'approve' })
    expect(port.decide.mock.calls[0]).toMatchObject([APPROVAL.id, { approve: true, person }])
  })

  it('opens the files of an approval only for its approver', async () => {
    const { invocation } = APPROVAL
    if (!invocation) throw new Error('It has none')
    const shown = { handle: 'artifact:x', content_type: 'text/plain', size: 3, sha256: 'ab' }
    const known = [{ ...APPROVAL, invocation: { ...invocation, files: [shown] } }, GRANT]
    const file = {
      contentType: 'text/plain',
      filename: 'a.txt',
      size: 3,
      etag: '"e"',
      expires: 1,
      read: async () => new Blob(['PAY']).stream(),
      bytes: async () => new Uint8Array(3),
      base64: async () => 'UEFZ',
      sha256: async () => 'ab',
    }
    const asked: unknown[] = []
    const uploads = { find: async (id: string, owner: UploadOwner) => (asked.push([id, owner]), file) }
    const files = { uploads, artifacts: noArtifacts }
    const open = async (who: SignedInSession | typeof NOBODY, path: string) =>
      setUp({ hasVerifier: false, findSession: who, known, files }).get(path)
    const at = `/authorizations/${APPROVAL.id}/files`
    expect(await (await open(NOBODY, `${at}/0`)).text()).toContain('Sign in first')
    expect((await open(findSession('bob'), `${at}/0`)).status).toBe(403)
    for (const path of [`${at}/1`, `${at}/x`, `/authorizations/${GRANT.id}/files/0`]) {
      expect((await open(findSession('ann'), path)).status, path).toBe(410)
    }
    expect(asked).toEqual([])
    const opened = await open(findSession('ann'), `${at}/0`)
    expect([opened.status, await opened.text()]).toEqual([200, 'PAY'])
    expect(opened.headers.get('content-disposition')).toBe('attachment; filename="file-0.txt"')
    expect(asked).toEqual([['x', { principal: invocation.principal, userId: 'ann' }]])
  })

  it.each([
    ['another user', findSession('bob'), [403, 403]],
    ['who may call its tools by name', findSession('bob', { tools: ['Bank.*'] }), [403, 403]],
    ['who may publish anything', findSession('bob', { scopes: ['tools:publish'] }), [403, 403]],
    ['who may publish in its toolkit', findSession('bob', publisher), [403, 200]],
    ['an administrator', findSession('root', { scopes: ['admin'] }), [403, 200]],
  ])('of a consent and of an approval, for %s', async (_, who, statuses) => {
    const { get, post, acts } = setUp({ hasVerifier: false, findSession: who })
    expect([(await get(page(GRANT.id))).status, (await get(page(APPROVAL.id))).status]).toEqual(statuses)
    expect((await post(page(GRANT.id), { decision: 'continue' })).status).toBe(403)
    expect(acts()).toBe(0)
  })

  it('is not shown to the person who made the call, until another person has decided', async () => {
    const invocation = { ...APPROVAL.invocation!, principal: 'person:ann' }
    const own = { ...APPROVAL, invocation }
    const { get, post, acts } = setUp({ hasVerifier: false, findSession: findSession('ann'), known: [own] })
    const shown = await get(page(own.id))
    expect([shown.status, await shown.text()]).toEqual([403, expect.stringContaining('Nobody approves their own call')])
    for (const decision of ['approve', 'refuse']) expect((await post(page(own.id), { decision })).status).toBe(403)
    expect(acts()).toBe(0)
    const approved = { ...own, status: 'completed' } as const
    const after = setUp({ hasVerifier: false, findSession: findSession('ann'), known: [approved] })
    expect((await after.get(page(own.id))).status).toBe(200)
  })

  it('is not shown while sessions are unavailable', async () => {
    const { get, acts } = setUp({
      hasVerifier: false,
      findSession: fail({ type: 'unavailable', message: 'Not now' }),
    })
    expect(await awayOf(await get(page(GRANT.id)))).toEqual(AWAY)
    expect(acts()).toBe(0)
  })
})

it("a session of a key is not a person's", async () => {
  const byKey = findSession('ann')
  const { get } = setUp({
    hasVerifier: false,
    findSession: { ...byKey, session: { ...byKey.session, authenticatedBy: { kind: 'key', hash: 'h' } } },
  })
  expect(await (await get(page(GRANT.id))).text()).toContain('Sign in first')
})

describe('where people sign in with keys', () => {
  const caller: Principal = { id: 'key:7', kind: 'key', scopes: ['tools:call'], tools: ['Bank.*'], users: ['ann'] }
  const byKey = (id: string, more: Partial<Principal> = {}): SignedInSession => {
    const { principal, session, fetchCapability } = findSession('ann')
    return {
      principal: { ...principal, id, kind: 'key', users: 'any', ...more },
      session: { ...session, authenticatedBy: { kind: 'key', hash: 'h' }, owner: id },
      fetchCapability,
    }
  }
  const by = (who: Principal | undefined, session: SignedInSession | typeof NOBODY) =>
    setUp({ findSession: session, callerOf: async (id) => (id === 'key:7' ? who : undefined) })

  it('an approval is for holders of another key that names the tool, and a consent asks no one to sign in', async () => {
    const other = byKey('key:9', { ...publisher, name: 'Bob' })
    const { get, post, port } = by(caller, other)
    const text = await (await get(page(APPROVAL.id))).text()
    expect(text).toContain('Approve this call?')
    expect(text).toContain('API key “Bob”')
    await post(page(APPROVAL.id), { decision: 'approve' })
    const person = { principal: 'key:9', approves: true }
    expect(port.decide.mock.calls[0]).toMatchObject([APPROVAL.id, { approve: true, person }])
    for (const session of [other, NOBODY]) {
      expect(await (await by(caller, session).get(page(GRANT.id))).text()).toContain('Gmail')
    }
    expect(await (await by(caller, NOBODY).get(page(APPROVAL.id))).text()).toContain('Sign in first')
  })

  it.each([
    ['its caller’s own key', caller, byKey('key:7', publisher)],
    ['a key of the same user', caller, byKey('key:9', { ...publisher, users: ['bob', 'ann'] })],
    ['a key that may publish anything', caller, byKey('key:9', { scopes: ['tools:publish'] })],
    ['a key that cannot publish', caller, byKey('key:9', { tools: ['Bank.*'] })],
    ['any key, of an administrator’s call', { ...caller, scopes: ['admin'] as const }, byKey('key:9', publisher)],
    ['any key, where the caller’s is gone', undefined, byKey('key:9', publisher)],
  ])('an approval is not for %s', async (_, who, session) => {
    const { get, post, acts } = by(who, session)
    const asked = await get(page(APPROVAL.id))
    expect(asked.status).toBe(403)
    const isOwn = session.principal.id === 'key:7'
    expect((await asked.text()).includes('Nobody approves their own call')).toBe(isOwn)
    expect((await post(page(APPROVAL.id), { decision: 'approve' })).status).toBe(403)
    expect(acts()).toBe(0)
  })
})

it('with a verifier, no one has to sign in', async () => {
  for (const who of [NOBODY, findSession('bob')]) {
    const { get } = setUp({ findSession: who })
    expect(await (await get(page(GRANT.id))).text()).toContain('Gmail')
  }
})
