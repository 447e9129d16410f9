import { expect, it } from 'vitest'
import { FetchCapability } from '../../src/core/access/principal.ts'
import type { GuardedRequest, GuardedResult } from '../../src/outbound/guarded-fetch.ts'
import { createIcons } from '../../src/outbound/icons.ts'

const PNG = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const ANN = new FetchCapability('key:ann')
const URL_OF_ICON = 'https://icons.example/a.png'

function world(answer: (request: GuardedRequest) => GuardedResult | Promise<GuardedResult> = () => answered(PNG)) {
  const sent: GuardedRequest[] = []
  let at = 0
  const guardedFetch = async (request: GuardedRequest) => {
    sent.push(request)
    return answer(request)
  }
  const readIcon = createIcons(guardedFetch, () => at)
  return { sent, readIcon, wait: (ms: number) => void (at += ms) }
}

function answered(body: Uint8Array<ArrayBuffer>, status = 200): GuardedResult {
  return { ok: true, response: { status, statusText: '', headers: new Headers(), url: URL_OF_ICON, body } }
}

it('requests an icon once an hour, without a credential, for the caller who asks first', async () => {
  const { sent, readIcon, wait } = world()
  expect(await readIcon(URL_OF_ICON, ANN)).toEqual({ type: 'image/png', bytes: PNG })
  expect(await readIcon(URL_OF_ICON, new FetchCapability('key:bob'))).toMatchObject({ type: 'image/png' })
  expect(sent).toMatchObject([{ method: 'GET', url: URL_OF_ICON, initiator: ANN, credentialHeaders: [] }])
  expect([...(sent[0]?.headers.keys() ?? [])]).toEqual(['accept', 'user-agent'])
  wait(3_600_000)
  await readIcon(URL_OF_ICON, ANN)
  expect(sent).toHaveLength(2)
})

it('requests nothing for unauthenticated callers, who get what is cached', async () => {
  const { sent, readIcon } = world()
  expect(await readIcon(URL_OF_ICON, undefined)).toBeUndefined()
  expect(sent).toEqual([])
  await readIcon(URL_OF_ICON, ANN)
  expect(await readIcon(URL_OF_ICON, undefined)).toMatchObject({ type: 'image/png' })
  expect(sent).toHaveLength(1)
})

it.each<[string, GuardedResult]>([
  ['is refused', { ok: false, kind: 'refused', message: 'No' }],
  ['is not there', answered(PNG, 404)],
  ['is no picture', answered(new TextEncoder().encode('<html>'))],
])('an icon that %s is requested again after a minute', async (_, answer) => {
  const { sent, readIcon, wait } = world(() => answer)
  expect(await readIcon(URL_OF_ICON, ANN)).toBeUndefined()
  expect(await readIcon(URL_OF_ICON, ANN)).toBeUndefined()
  expect(sent).toHaveLength(1)
  wait(60_000)
  await readIcon(URL_OF_ICON, ANN)
  expect(sent).toHaveLength(2)
})

it('requests sixteen at once, and the others when they are asked for again', async () => {
  let end: (answer: GuardedResult) => void = () => {}
  const { sent, readIcon } = world(({ url }) =>
    String(url).endsWith('/slow') ? new Promise((done) => (end = done)) : answered(PNG),
  )
  const slow = Array.from({ length: 16 }, (_, index) => readIcon(`https://i${index}.example/slow`, ANN))
  expect(await readIcon(URL_OF_ICON, ANN)).toBeUndefined()
  expect(sent).toHaveLength(16)
  end(answered(PNG))
  await slow.at(-1)
  expect(await readIcon(URL_OF_ICON, ANN)).toMatchObject({ type: 'image/png' })
})

it('caches four megabytes of icons', async () => {
  const { sent, readIcon } = world(() => {
    const large = new Uint8Array(256 * 1024)
    large.set(PNG)
    return answered(large)
  })
  for (let index = 0; index < 40; index++) await readIcon(`https://i${index}.example/a`, ANN)
  await readIcon('https://i39.example/a', ANN)
  expect(sent).toHaveLength(40)
  await readIcon('https://i0.example/a', ANN)
  expect(sent).toHaveLength(41)
})

it('requests nothing for an icon in the definition', async () => {
  const { sent, readIcon } = world()
  expect(await readIcon('data:image/png;base64,iVBORw0KGgo=', undefined)).toEqual({ type: 'image/png', bytes: PNG })
  expect(await readIcon('data:text/html,<script>', ANN)).toBeUndefined()
  expect(sent).toEqual([])
})
