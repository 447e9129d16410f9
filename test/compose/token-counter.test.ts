import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { ADMIN, ANONYMOUS } from '../../src/core/access/principal.ts'
import type { Listing } from '../../src/core/catalog/catalog.ts'
import { createDefinitionTokenCounter, createTokenCounterLoader } from '../../src/compose/token-counter.ts'
import { part } from '../simulation/part.ts'
import type { Env } from '../../src/env.ts'

const FILES = new URL('../../src/generated/assets/', import.meta.url)

const env = part<Env>({
  ASSETS: part<Fetcher>({ fetch: async () => new Response(await readFile(new URL('o200k_base.json', FILES))) }),
})

it('the token counter reads its ranks from the assets once while it is in use', async () => {
  const paths: string[] = []
  const fetchAsset = async (url: URL | RequestInfo) => {
    const { pathname } = new URL(String(url))
    paths.push(pathname)
    return new Response(await readFile(new URL(`.${pathname}`, FILES)))
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
])('a deployment with %s reports that', async (_, without) => {
  await expect(createTokenCounterLoader(part<Env>(without))()).rejects.toThrow('has no asset')
})

it.each<[string, Listing | undefined]>([
  ['is too large for memory', { lines: [], isOutOfMemory: true }],
  ['has another page', { lines: ['{}'], nextCursor: 'n' }],
  ['has more characters than were reserved', { lines: Array(9).fill('x'.repeat(500_000)) }],
])('definitions are not counted if their list %s', async (_, listing) => {
  const countDefinitions = createDefinitionTokenCounter(env, { list: async () => listing })
  expect(await countDefinitions(ADMIN)).toMatchObject({ ok: false, failure: { type: 'conflict' } })
})

it('definitions are counted for callers with a credential', async () => {
  const countDefinitions = createDefinitionTokenCounter(env, {
    list: async () => ({ lines: ['hello world', '', '{}'] }),
  })
  expect(await countDefinitions(ADMIN)).toEqual({ ok: true, value: 3 })
  expect(await countDefinitions(ANONYMOUS)).toMatchObject({ ok: false, failure: { type: 'unauthenticated' } })
})
