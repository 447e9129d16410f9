import { afterEach, describe, expect, it, vi } from 'vitest'
import { createRateLimit } from '../../../src/http/route/rate-limit.ts'

afterEach(() => vi.restoreAllMocks())

/** A limiter whose answers are given in turn, a clock, and what was left to wait for. */
function setUp(...answers: (boolean | Error)[]) {
  const clock = { now: 0 }
  const asked: string[] = []
  const waiting: Promise<void>[] = []
  const limiter = {
    limit({ key }: { key: string }): Promise<{ success: boolean }> {
      asked.push(key)
      const answer = answers.shift() ?? true
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve({ success: answer })
    },
  }
  const limit = createRateLimit(limiter, () => clock.now)
  const check = (id: string) => limit(id, (work) => waiting.push(work))
  const settle = async () => void (await Promise.all(waiting))
  return { check, settle, clock, asked }
}

describe('the rate limit', () => {
  it('accepts the request that uses up the rate, and rejects the next ones for ten seconds', async () => {
    const { check, settle, clock, asked } = setUp(false)
    expect(check('key:a')).toBeUndefined()
    expect(check('key:a')).toBeUndefined()
    await settle()
    clock.now = 4_000
    expect(check('key:a')).toEqual({ ok: false, failure: { type: 'rate-limited', retry_after_ms: 6_000 } })
    expect(asked).toEqual(['key:a', 'key:a'])
    clock.now = 10_000
    expect(check('key:a')).toBeUndefined()
  })

  it('limits each key on its own', async () => {
    const { check, settle } = setUp(false)
    check('key:a')
    await settle()
    expect(check('key:b')).toBeUndefined()
    expect(check('key:a')).toBeDefined()
  })

  it('limits nobody when the limiter fails, and logs only the name of the error', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    const { check, settle } = setUp(new Error('key:a is secret'))
    check('key:a')
    await settle()
    expect(check('key:a')).toBeUndefined()
    expect(warn).toHaveBeenCalledWith('Cannot ask the rate limiter', 'Error')
  })

  it('limits nobody when the limiter throws at once, and breaks nothing that waits for it', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    const waiting: Promise<void>[] = []
    const limiter = {
      limit() {
        throw new TypeError('key:a is not bound')
      },
    }
    const limit = createRateLimit(limiter, () => 0)
    const check = () => limit('key:a', (work) => waiting.push(work))
    expect(check()).toBeUndefined()
    expect(await Promise.allSettled(waiting)).toEqual([{ status: 'fulfilled', value: undefined }])
    expect(check()).toBeUndefined()
    expect(warn).toHaveBeenCalledWith('Cannot ask the rate limiter', 'TypeError')
  })

  it('starts no work without a limiter', () => {
    const waitUntil = vi.fn()
    expect(createRateLimit(undefined, () => 0)('key:a', waitUntil)).toBeUndefined()
    expect(waitUntil).not.toHaveBeenCalled()
  })
})
