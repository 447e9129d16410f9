import { expect, it } from 'vitest'
import { createFlows, MAX_RETURN } from '../../src/sign-in/flow-cookie.ts'
import { createKeyring } from '../../src/storage/sealing/keyring.ts'

const ORIGIN = 'https://sb.example'
const REQUEST = { state: 's'.repeat(43), nonce: 'n'.repeat(43), verifier: 'v'.repeat(43), callback: `${ORIGIN}/x` }
const LONGEST = `/${'x'.repeat(MAX_RETURN - 1)}`
let now = 0
const flows = createFlows(createKeyring(['of the tests'], 'sign-in'), () => now)

/** A browser, as far as it keeps cookies. */
function newBrowser() {
  const jar = new Map<string, string>()
  return {
    jar,
    request: () => new Request(ORIGIN, { headers: { cookie: [...jar].map((pair) => pair.join('=')).join('; ') } }),
    take(headers: readonly string[]) {
      for (const header of headers) {
        const [pair = '', ...attributes] = header.split('; ')
        // Chromium and Firefox keep no more
        expect(pair.length).toBeLessThanOrEqual(4_096)
        expect(attributes).toEqual(expect.arrayContaining(['HttpOnly', 'Secure', 'Path=/', 'SameSite=Lax']))
        const [name = '', value = ''] = pair.split('=')
        if (attributes.includes('Max-Age=0')) jar.delete(name)
        else jar.set(name, value)
      }
    },
  }
}

it.each([
  ['an ordinary path', '/sessions', 1],
  ['the longest', LONGEST, 3],
])('a sign-in flow returns with %s', async (_, back, cookies) => {
  const { jar, request, take } = newBrowser()
  take(await flows.write(request(), { request: REQUEST, back }))
  expect(jar.size).toBe(cookies)
  expect(await flows.read(request())).toEqual({ request: REQUEST, back })
  take(flows.clear(request()))
  expect(jar.size).toBe(0)
  expect(await flows.read(request())).toBeUndefined()
})

it('a sign-in flow must return within a quarter of an hour, however long the browser keeps its cookies', async () => {
  const { request, take } = newBrowser()
  take(await flows.write(request(), { request: REQUEST, back: '/x' }))
  now += 15 * 60_000 - 1
  expect(await flows.read(request())).toBeDefined()
  now += 1
  expect(await flows.read(request())).toBeUndefined()
})

it('a sign-in flow keeps nothing of an earlier one', async () => {
  const { jar, request, take } = newBrowser()
  take(await flows.write(request(), { request: REQUEST, back: LONGEST }))
  take(await flows.write(request(), { request: REQUEST, back: '/short' }))
  expect(jar.size).toBe(1)
  expect(await flows.read(request())).toMatchObject({ back: '/short' })
})

it('a sign-in flow is lost if a part of its cookies is missing, belongs to another flow or is misplaced', async () => {
  const { jar, request, take } = newBrowser()
  take(await flows.write(request(), { request: REQUEST, back: LONGEST }))
  const mine = new Map(jar)
  take(await flows.write(request(), { request: REQUEST, back: LONGEST }))
  const other = new Map(jar)
  const [first = '', second = ''] = [...mine.keys()]
  for (const change of [
    () => jar.delete(second),
    () => jar.set(second, other.get(second) ?? ''),
    () => jar.set(first, mine.get(second) ?? '').set(second, mine.get(first) ?? ''),
  ]) {
    jar.clear()
    for (const [name, value] of mine) jar.set(name, value)
    expect(await flows.read(request())).toBeDefined()
    change()
    expect(await flows.read(request())).toBeUndefined()
  }
})

it('a browser without cookies of a flow needs no unsealing and no deletion', async () => {
  const sealer = { seal: async () => '', unseal: () => Promise.reject(new Error('Nothing is opened')) }
  expect(await createFlows(sealer, () => now).read(newBrowser().request())).toBeUndefined()
  expect(flows.clear(newBrowser().request())).toEqual([])
})
