import { expect, it } from 'vitest'
import { ADMIN, type Principal } from '../../../src/core/access/principal.ts'
import { createKeyUsageTracker } from '../../../src/http/route/key-use.ts'

const KEY: Principal = { id: 'key:k1', kind: 'key', scopes: [], tools: [], users: [] }

it('writes the last use of a key once in ten minutes, and again if writing failed', async () => {
  const noted: unknown[] = []
  const state = { now: 0, fails: false }
  const use = createKeyUsageTracker(
    async (...of) => {
      noted.push(of)
      if (state.fails) throw new Error('Away')
    },
    () => state.now,
  )
  const background: Promise<unknown>[] = []
  const used = async (principal: Principal, now: number) => {
    state.now = now
    use(principal, (work) => void background.push(work))
    await Promise.all(background)
  }
  await used(KEY, 0)
  await used(ADMIN, 0)
  await used(KEY, 599_999)
  expect(noted).toEqual([[['k1'], 0]])
  state.fails = true
  await used(KEY, 600_000)
  state.fails = false
  await used(KEY, 600_001)
  await used({ ...KEY, id: 'key:k2' }, 600_001)
  expect(noted.slice(1)).toEqual([
    [['k1'], 600_000],
    [['k1'], 600_001],
    [['k2'], 600_001],
  ])
})
