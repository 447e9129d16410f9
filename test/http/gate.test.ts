import { describe, expect, it, vi } from 'vitest'
import { createShield } from '../../src/http/gate.ts'
import { fail } from '../../src/core/call/failure.ts'

const REFUSED = fail({ type: 'rate-limited', retry_after_ms: 1_000 })
const background = () => undefined
const from = (address?: string) =>
  new Request('https://sb.example/oauth/callback', {
    headers: address === undefined ? {} : { 'cf-connecting-ip': address },
  })

describe('the shield of pages that need no credential', () => {
  it('holds each address to the rate', () => {
    const rateLimit = vi.fn((who: string) => (who.endsWith(' 192.0.2.1') ? REFUSED : undefined))
    const shield = createShield(rateLimit)
    expect(shield(from('192.0.2.1'), background)).toBe(REFUSED)
    expect(shield(from('192.0.2.2'), background)).toBeUndefined()
  })

  it('limits nobody where no edge tells the address', () => {
    const rateLimit = vi.fn(() => REFUSED)
    expect(createShield(rateLimit)(from(), background)).toBeUndefined()
    expect(rateLimit).not.toHaveBeenCalled()
  })
})
