import { describe, expect, it } from 'vitest'
import { UnreachableError } from '../../../src/core/failure/failure.ts'
import { createDeploymentKeys } from '../../../src/storage/sealing/deployment-keys.ts'

/** An isolate of the deployment whose secret this is, with how often it asked for that. */
function isolate(secret: () => Promise<string> = async () => 'the secret') {
  const asked = { times: 0 }
  const deploymentSecret = () => {
    asked.times += 1
    return secret()
  }
  return { keys: createDeploymentKeys({ deploymentSecret }), asked }
}

describe('the keys of a deployment', () => {
  it('unseal in every isolate what one sealed, for the same purpose and context', async () => {
    const sealed = await isolate().keys.sealer('state').seal('a text', 'for u')
    const { keys } = isolate()
    expect((await keys.sealer('state').unseal(sealed, 'for u'))?.text).toBe('a text')
    expect(await keys.sealer('state').unseal(sealed, 'for v')).toBeUndefined()
    expect(await keys.sealer('cursor').unseal(sealed, 'for u')).toBeUndefined()
    expect(
      await isolate(async () => 'another')
        .keys.sealer('state')
        .unseal(sealed, 'for u'),
    ).toBeUndefined()
  })

  it('verify in every isolate what one signed, for the same purpose', async () => {
    const signature = await isolate().keys.signer('artifact').sign('a text')
    expect(signature).toMatch(/^[\w-]{43}$/)
    const { keys } = isolate()
    const verify = (text: string, given: string) => keys.signer('artifact').verify(text, given)
    expect(await verify('a text', signature)).toBe(true)
    expect(await verify('a text.', signature)).toBe(false)
    expect(await keys.signer('state').verify('a text', signature)).toBe(false)
    // The last character of Base64url has bits that mean nothing
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const same = signature.slice(0, -1) + alphabet[alphabet.indexOf(signature.at(-1) ?? '') + 1]
    for (const other of [same, '', '!', 'x', `${signature}A`, signature.slice(1), `${signature} `]) {
      expect(await verify('a text', other)).toBe(false)
    }
  })

  it('read their secret once', async () => {
    const { keys, asked } = isolate()
    const sealer = keys.sealer('state')
    for (let at = 0; at < 3; at += 1) await sealer.unseal(await sealer.seal('x', 'u'), 'u')
    await keys.signer('artifact').sign('x')
    await keys.sealer('cursor').seal('x', 'u')
    expect(asked.times).toBe(1)
  })

  it('are unavailable while the secret is unreachable, and available afterwards', async () => {
    let down = true
    const { keys } = isolate(async () => {
      if (down) throw new Error('Durable Object is overloaded')
      return 'the secret'
    })
    const [sealer, signer] = [keys.sealer('state'), keys.signer('artifact')]
    await expect(sealer.seal('x', 'u')).rejects.toThrow(UnreachableError)
    await expect(sealer.unseal('x.y', 'u')).rejects.toThrow(UnreachableError)
    await expect(signer.sign('x')).rejects.toThrow(UnreachableError)
    await expect(signer.verify('x', 'A'.repeat(43))).rejects.toThrow(UnreachableError)
    down = false
    expect(await signer.verify('x', await signer.sign('x'))).toBe(true)
  })
})
