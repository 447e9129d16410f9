import { describe, expect, it, vi } from 'vitest'
import { UnreachableError } from '../../../src/core/failure/failure.ts'
import { createKeyring } from '../../../src/storage/sealing/keyring.ts'
import { createStateSeal } from '../../../src/storage/sealing/state-seal.ts'

const now = () => 1_000
const sealOf = (secret: string, at = now) => createStateSeal({ sealer: createKeyring([secret], 'state'), now: at })
const made = sealOf('one')

async function sealed(text: string, bound: string): Promise<string> {
  const result = await made.seal(text, bound)
  if (!result.ok) throw new Error(result.failure.type)
  return result.value
}

describe('a state seal', () => {
  it('unseals what it sealed, also in another isolate, and reveals nothing of it', async () => {
    for (const text of ['', 'a text', 'ü🛠'.repeat(1_000)]) {
      const state = await sealed(text, 'for u')
      expect(state).toMatch(/^[\w.-]+$/)
      expect(state).not.toContain(btoa('a text').slice(0, 6))
      expect(await sealOf('one').unseal(state, 'for u')).toEqual({ ok: true, value: text })
    }
    expect(await sealed('same', 'u')).not.toBe(await sealed('same', 'u'))
  })

  it('unseals nothing else', async () => {
    const state = await sealed('a text', 'for u')
    const nothing = { ok: true, value: undefined }
    expect(await made.unseal(state, 'for v')).toEqual(nothing)
    expect(await sealOf('two').unseal(state, 'for u')).toEqual(nothing)
    expect(await sealOf('one', () => 3_601_000).unseal(state, 'for u')).toEqual(nothing)
    for (const other of ['', 'x', '!', `${state}A`, state.slice(4), `A${state.slice(1)}B`]) {
      expect(await made.unseal(other, 'for u')).toEqual(nothing)
    }
  })

  it('is unavailable while the key is unreachable, and falls back to nothing weaker', async () => {
    vi.spyOn(console, 'error').mockReturnValue()
    const reject = async () => {
      throw new UnreachableError('No storage')
    }
    const without = createStateSeal({ sealer: { seal: reject, unseal: reject }, now })
    const unavailable = { ok: false, failure: { type: 'unavailable', message: 'No storage' } }
    expect(await without.seal('a text', 'u')).toEqual(unavailable)
    expect(await without.unseal('x.y', 'u')).toEqual(unavailable)
  })
})
