import { expect, it } from 'vitest'
import { type Credential, fingerprintInvocation, type Invocation } from '../../../src/core/call/invocation.ts'
import type { Json } from '../../../src/core/tool/json.ts'
import { invocationWith } from '../../runners/http/records.ts'

const FILE = { handle: 'artifact:x', filename: 'a.txt', content_type: 'text/plain', size: 3, sha256: 'ab' }

const GIVEN: Invocation = {
  ...invocationWith({ a: 1 }),
  userId: 'ann',
  userInfo: { role: 'owner' },
  method: 'tools/call',
  answers: { responses: { n: { action: 'accept' } }, state: 's' },
  secrets: new Map([['KEY', { value: '1234', from: 'caller' }]]),
  tokens: new Map([['mail', { value: 'of-this-hour', from: 'deployment', account: 'work' }]]),
}

async function identifiedWith(given: Partial<Invocation> = {}, file: Partial<typeof FILE> = {}, more: object = {}) {
  const hashed: Json[] = []
  const call = {
    record: { id: 'Bank.Pay@1.0.0', digest: 'd1' },
    caller: { principal: { id: 'key:1' } },
    invocation: { ...GIVEN, ...given },
    ...more,
  }
  const hash = async (value: Json) => {
    hashed.push(value)
    return JSON.stringify(value)
  }
  return { ...(await fingerprintInvocation(call, hash, [{ ...FILE, ...file }])), hashed }
}

async function fingerprintOf(...given: Parameters<typeof identifiedWith>): Promise<string> {
  return (await identifiedWith(...given)).fingerprint
}

const secret = (value: string, from: Credential['from'] = 'caller') => ({
  secrets: new Map([['KEY', { value, from }]]),
})
const token = (credential: Credential) => ({ tokens: new Map([['mail', credential]]) })

const OTHERS: readonly (readonly [string, ...Parameters<typeof identifiedWith>])[] = [
  ['input', { input: { a: 2 } }],
  ['user', { userId: 'bob' }],
  ['user, who is none', { userId: undefined }],
  ['word of the user', { userInfo: { role: 'guest' } }],
  ['method', { method: undefined }],
  ['answer', { answers: { responses: { n: { action: 'decline' } }, state: 's' } }],
  ['state with the same answers', { answers: { responses: { n: { action: 'accept' } } } }],
  ['secret of the caller', secret('1235')],
  ['secret, the same, of the deployment', secret('1234', 'deployment')],
  ['account', token({ value: 'of-this-hour', from: 'deployment', account: 'personal' })],
  ['token of the caller, the same as the grant’s', token({ value: 'of-this-hour', from: 'caller' })],
  ['file', {}, { sha256: 'cd' }],
  ['name of a file', {}, { filename: 'b.txt' }],
  ['type of a file', {}, { content_type: 'text/html' }],
  ['tool', {}, {}, { record: { id: 'Bank.Take@1.0.0', digest: 'd1' } }],
  ['version of the tool', {}, {}, { record: { id: 'Bank.Pay@1.0.0', digest: 'd2' } }],
  ['caller', {}, {}, { caller: { principal: { id: 'key:2' } } }],
]
for (const [what, ...given] of OTHERS) {
  it(`differs with another ${what}`, async () => {
    expect(await fingerprintOf(...given)).not.toBe(await fingerprintOf())
  })
}

it('is the same with a grant’s next token, or after the operator replaced a secret', async () => {
  const next = token({ value: 'of-the-next-hour', from: 'deployment', account: 'work' })
  expect(await fingerprintOf(next)).toBe(await fingerprintOf())
  expect(await fingerprintOf(secret('new', 'deployment'))).toBe(await fingerprintOf(secret('old', 'deployment')))
})

it('is the same if no one can be asked, and if no one responded', async () => {
  expect(await fingerprintOf({ answers: { responses: {} } })).toBe(await fingerprintOf({ answers: undefined }))
})

it('is shown without a credential’s value, whose hash depends on the caller and the tool', async () => {
  const { invocation: shown, hashed } = await identifiedWith()
  const [own, whole] = hashed
  expect(whole).toBe(shown)
  expect(own).toEqual(['key:1', 'Bank.Pay@1.0.0', 'secret', 'KEY', '1234'])
  expect(shown).toMatchObject({
    credentials: [
      { id: 'mail', kind: 'token', from: 'grant', account: 'work' },
      { id: 'KEY', kind: 'secret', from: 'caller', hash: JSON.stringify(own) },
    ],
    files: [FILE],
  })
  expect(JSON.stringify(shown)).not.toContain('of-this-hour')
})
