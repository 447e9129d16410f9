import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { createTokenCounterLoader } from '../../src/compose/token-counter.ts'

it('a Worker counts tokens with the vocabulary in its assets', async () => {
  const loadTokenCounter = createTokenCounterLoader(env)
  const countTokens = await loadTokenCounter()
  expect(await loadTokenCounter()).toBe(countTokens)
  expect(countTokens('hello world')).toBe(2)
  expect(countTokens('お誕生日おめでとう')).toBe(8)
})
