import { describe, expect, it } from 'vitest'
import { createKeyring } from '../../../src/storage/sealing/keyring.ts'

const [OLD, NEW] = ['the old key', 'the new key']

describe('a keyring', () => {
  it('seals with the first key and unseals with every key, in the same context only', async () => {
    const old = createKeyring([OLD], 'vault')
    const both = createKeyring([NEW, OLD], 'vault')
    const sealed = await old.seal('télégramme', 'ann')
    expect(await old.seal('télégramme', 'ann')).not.toBe(sealed)
    expect(await old.unseal(sealed, 'ann')).toEqual({ text: 'télégramme', current: true })
    expect(await both.unseal(sealed, 'ann')).toEqual({ text: 'télégramme', current: false })
    expect(await both.unseal(await both.seal('x', 'ann'), 'ann')).toEqual({ text: 'x', current: true })
    expect(await createKeyring([NEW], 'vault').unseal(sealed, 'ann')).toBeUndefined()
    expect(await old.unseal(sealed, 'bob')).toBeUndefined()
  })

  it('seals equal texts equally if asked to be deterministic, and any other text, context or call differently', async () => {
    const ring = createKeyring([OLD], 'cursor')
    const sealed = await ring.seal('a text', 'ann', { deterministic: true })
    expect(await createKeyring([OLD], 'cursor').seal('a text', 'ann', { deterministic: true })).toBe(sealed)
    expect(await ring.unseal(sealed, 'ann')).toMatchObject({ text: 'a text' })
    const ivOf = (text: string) =>
      Buffer.from(text.split('.')[1] ?? '', 'base64url')
        .subarray(0, 12)
        .toString('hex')
    const others = [
      await ring.seal('a text', 'bob', { deterministic: true }),
      await ring.seal('a texts', 'ann', { deterministic: true }),
    ]
    expect(new Set([sealed, ...others, await ring.seal('a text', 'ann')].map(ivOf)).size).toBe(4)
  })

  it('does not unseal a text that was changed', async () => {
    const ring = createKeyring([OLD], 'vault')
    const sealed = await ring.seal('a text', 'ann')
    for (let at = 0; at < sealed.length; at++) {
      const other = sealed[at] === 'A' ? 'Q' : 'A'
      const changed = sealed.slice(0, at) + other + sealed.slice(at + 1)
      // The last character of Base64url may have bits that mean nothing
      if (at < sealed.length - 1) expect(await ring.unseal(changed, 'ann')).toBeUndefined()
    }
    for (const text of ['', '.', 'x.y', sealed.slice(0, 20)]) expect(await ring.unseal(text, 'ann')).toBeUndefined()
  })

  it('unseals nothing that was sealed for another purpose with the same secret', async () => {
    const sealed = await createKeyring([OLD], 'state').seal('a text', 'ann')
    expect(await createKeyring([OLD], 'vault').unseal(sealed, 'ann')).toBeUndefined()
    const [, body] = sealed.split('.')
    const [id] = (await createKeyring([OLD], 'vault').seal('a text', 'ann')).split('.')
    expect(await createKeyring([OLD], 'vault').unseal(`${id}.${body}`, 'ann')).toBeUndefined()
  })

  it('unseals what earlier versions sealed', async () => {
    const ring = createKeyring([NEW, 'a key that was set long ago'], 'vault')
    const stored =
      'a4jXexod6eo.jZ2-VzhsRx7YkBE0RNkMP7xu82iXKfBK3mQv5DCj9tVOPaL1dbV0MPWMdQP4cRvnWWjI1eubWWPO2SN62LPqq-A0mmk'
    const text = '{"access_token":"a","refresh_token":"r"}'
    expect(await ring.unseal(stored, '["grant","ann","mail"]')).toEqual({ text, current: false })
  })

  it('without secrets unseals nothing, and never stores plain text', async () => {
    const empty = createKeyring([], 'vault')
    expect(empty.isEmpty).toBe(true)
    expect(await empty.unseal(await createKeyring([OLD], 'vault').seal('a text', 'ann'), 'ann')).toBeUndefined()
    await expect(empty.seal('a text', 'ann')).rejects.toThrow('without a secret')
  })
})
