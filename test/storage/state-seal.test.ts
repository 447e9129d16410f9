import { describe, expect, it } from 'vitest'
import { createStateSeal } from '../../src/storage/state-seal.ts'

const now = () => 1_000
const made = createStateSeal({ secret: 'one', now })

describe('a state seal', () => {
  it('opens what it sealed, also in another isolate, and says nothing of it', async () => {
    for (const text of ['', 'a text', 'ü🛠'.repeat(1_000)]) {
      const sealed = await made.seal(text, 'for u')
      expect(sealed).toMatch(/^[\w.-]+$/)
      expect(sealed).not.toContain(btoa('a text').slice(0, 6))
      expect(await createStateSeal({ secret: 'one', now }).unseal(sealed, 'for u')).toBe(text)
    }
    expect(await made.seal('same', 'u')).not.toBe(await made.seal('same', 'u'))
  })

  it('opens nothing else', async () => {
    const sealed = await made.seal('a text', 'for u')
    expect(await made.unseal(sealed, 'for v')).toBeUndefined()
    expect(await createStateSeal({ secret: 'two', now }).unseal(sealed, 'for u')).toBeUndefined()
    expect(await createStateSeal({ now }).unseal(sealed, 'for u')).toBeUndefined()
    expect(await createStateSeal({ secret: 'one', now: () => 3_601_000 }).unseal(sealed, 'for u')).toBeUndefined()
    for (const other of ['', 'x', '!', `${sealed}A`, sealed.slice(4), `A${sealed.slice(1)}B`]) {
      expect(await made.unseal(other, 'for u')).toBeUndefined()
    }
  })

  it('has a key of its own without a secret', async () => {
    const own = createStateSeal({ now })
    expect(await own.unseal(await own.seal('a text', 'u'), 'u')).toBe('a text')
  })
})
