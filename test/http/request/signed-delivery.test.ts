import { describe, expect, it } from 'vitest'
import { SIGNATURE_SCHEMES, type SignatureScheme } from '../../../src/core/event/event-source.ts'
import { createSenders } from '../../e2e/event-senders.ts'
import { verifyDelivery } from '../../../src/http/request/signed-delivery.ts'

const NOW = Date.parse('2026-11-30T05:00:00Z')
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const OTHER = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
const BODY = '{"id":"evt_1","event_id":"Ev1"}'

/** Signs for a second. */
const sign = (scheme: SignatureScheme, secret: string, at: number): Readonly<Record<string, string>> =>
  createSenders(secret)[scheme](BODY, undefined, at * 1_000)

const verify = (scheme: SignatureScheme, headers: Readonly<Record<string, string>>, body = BODY, secret = SECRET) =>
  verifyDelivery({ signature: scheme, header: 'X-Webhook-Secret' }, secret, {
    headers: new Headers(headers),
    body: new TextEncoder().encode(body),
    now: NOW,
  })
const seconds = (offset = 0) => NOW / 1_000 + offset

describe.each(SIGNATURE_SCHEMES)('a delivery signed as %s', (scheme) => {
  it('is accepted with the secret, also while clocks differ by minutes', async () => {
    for (const offset of [0, -299, 299])
      expect(await verify(scheme, sign(scheme, SECRET, seconds(offset)))).toMatchObject({ signed: expect.anything() })
  })

  it('is refused with another secret, or without a signature', async () => {
    expect(await verify(scheme, sign(scheme, OTHER, seconds()))).toBeUndefined()
    expect(await verify(scheme, {})).toBeUndefined()
    const empty = Object.fromEntries(Object.keys(sign(scheme, SECRET, seconds())).map((name) => [name, '']))
    expect(await verify(scheme, empty)).toBeUndefined()
  })

  it('is refused while no secret is set', async () => {
    expect(await verify(scheme, sign(scheme, SECRET, seconds()), BODY, '')).toBeUndefined()
  })

  it('is refused with an invalid signature', async () => {
    const headers = sign(scheme, SECRET, seconds())
    const [name = ''] = Object.keys(headers).toReversed()
    for (const value of [
      'v1,',
      'v1',
      'sha256=',
      'sha256=zz',
      `t=${seconds()},v1=`,
      'v0=00',
      '💥'.normalize(),
      'x'.repeat(10_000),
    ])
      if (/^[\x20-\x7e]*$/.test(value)) expect(await verify(scheme, { ...headers, [name]: value })).toBeUndefined()
  })
})

it.each(SIGNATURE_SCHEMES.filter((scheme) => scheme !== 'shared-secret'))(
  'a delivery signed as %s is refused with another body or an extra byte',
  async (scheme) => {
    for (const body of [BODY.replace('1', '2'), `${BODY} `, ''])
      expect(await verify(scheme, sign(scheme, SECRET, seconds()), body)).toBeUndefined()
  },
)

it.each(['standard-webhooks', 'stripe', 'slack'] as const)(
  'a delivery signed as %s is refused if it is too old, from the future, or has another time than the signed one',
  async (scheme) => {
    for (const offset of [-301, 301, -86_400])
      expect(await verify(scheme, sign(scheme, SECRET, seconds(offset)))).toBeUndefined()
    const old = sign(scheme, SECRET, seconds(-3_600))
    const renewed = Object.fromEntries(
      Object.entries(old).map(([name, value]) => [name, value.replace(String(seconds(-3_600)), String(seconds()))]),
    )
    expect(await verify(scheme, renewed)).toBeUndefined()
  },
)

it('accepts the second signature of a secret in rotation, and no ninth', async () => {
  const { 'webhook-signature': right = '', ...headers } = sign('standard-webhooks', SECRET, seconds())
  const { 'webhook-signature': wrong = '' } = sign('standard-webhooks', OTHER, seconds())
  const signed = (...signatures: string[]) => ({ ...headers, 'webhook-signature': signatures.join(' ') })
  expect(await verify('standard-webhooks', signed(wrong, right))).toMatchObject({ id: 'msg_1' })
  expect(await verify('standard-webhooks', signed(...Array<string>(8).fill(wrong), right))).toBeUndefined()
})

it('accepts no signature of one scheme as another', async () => {
  const headers = Object.assign({}, ...SIGNATURE_SCHEMES.map((scheme) => sign(scheme, OTHER, seconds())))
  for (const scheme of SIGNATURE_SCHEMES) {
    expect(await verify(scheme, headers)).toBeUndefined()
    expect(await verify(scheme, { ...headers, ...sign(scheme, SECRET, seconds()) })).toBeDefined()
  }
})

it('gives equal bytes for a copied delivery, whatever its other headers are', async () => {
  const first = await verify('github', sign('github', SECRET, seconds()))
  const headers = { ...sign('github', SECRET, seconds()), 'X-GitHub-Delivery': 'another' }
  expect(await verify('github', headers)).toEqual(first)
})
