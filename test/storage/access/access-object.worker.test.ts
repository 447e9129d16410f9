import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { Access } from '../../../src/storage/access/access-object.ts'

const fresh = () => env.Access.getByName(crypto.randomUUID())

describe('the secret of a deployment', () => {
  it('is made once, at random, and kept', async () => {
    const access = fresh()
    const secret = await access.deploymentSecret()
    expect(secret).toMatch(/^[\w-]{43}$/)
    expect(await access.deploymentSecret()).toBe(secret)
    await runInDurableObject(access, (_, state) => {
      expect(new Access(state, env).deploymentSecret()).toBe(secret)
    })
    expect(await fresh().deploymentSecret()).not.toBe(secret)
  })
})
