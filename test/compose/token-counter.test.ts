import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { createTokenCounterLoader } from '../../src/compose/token-counter.ts'
import { part } from '../simulation/part.ts'
import type { Env } from '../../src/env.ts'

const ASSETS = new URL('../../src/generated/assets/', import.meta.url)

it('the counter of a deployment reads its ranks from the assets, once while it is in use', async () => {
  const paths: string[] = []
  const fetchAsset = async (url: URL | RequestInfo) => {
    const { pathname } = new URL(String(url))
    paths.push(pathname)
    return new Response(await readFile(new URL(`.${pathname}`, ASSETS)))
  }
  const loadTokenCounter = createTokenCounterLoader(part<Env>({ ASSETS: part<Fetcher>({ fetch: fetchAsset }) }))
  const [countTokens, ofAnother] = await Promise.all([loadTokenCounter(), loadTokenCounter()])
  expect(countTokens('hello world')).toBe(2)
  expect(ofAnother).toBe(countTokens)
  expect(await loadTokenCounter()).toBe(countTokens)
  // Two that begin at once both read them
  expect(paths).toEqual(['/o200k_base.json', '/o200k_base.json'])
})

it.each([
  ['no assets', {}],
  ['no such asset', { ASSETS: part<Fetcher>({ fetch: async () => new Response('', { status: 404 }) }) }],
])('a deployment with %s says so', async (_, env) => {
  await expect(createTokenCounterLoader(part<Env>(env))()).rejects.toThrow('has no asset')
})
