import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Answer } from '../e2e/json.ts'
import { definition } from '../e2e/definition.ts'
import type { RunningServer } from '../e2e/server.ts'
import { ADMIN_KEY, asAdmin, type Headers, keyOf } from './set-up.ts'
import { neverSilent, startWatched } from './watch.ts'

let server: RunningServer
beforeAll(async () => {
  server = await startWatched({ vars: { ACCESS: 'keys', ADMIN_KEY } })
})
afterAll(() => server?.stop())
afterAll(neverSilent)

type Sent = readonly [method: string, path: string, body: unknown]
const send = ([method, path, body]: Sent, as: Headers = asAdmin): Promise<Answer> => server.json(method, path, body, as)
const read = async (path: string) => (await server.json('GET', path, undefined, asAdmin)).body
const KEYS = 20

async function newKey(fields: object = {}) {
  const { body } = await send(['POST', '/keys', { name: 'k', scopes: ['admin'], tools: ['Mail.*'], ...fields }])
  return { path: `/keys/${body.id}`, as: { authorization: `Bearer ${body.key}` } }
}

/** The change that removes a right, the right afterwards, and the key before. */
const TAKEN: readonly [string, object, object, object?][] = [
  ['scopes', { scopes: ['tools:read'] }, { scopes: ['tools:read'] }],
  ['tools', { tools: [] }, { tools: [] }],
  ['users', { users: [] }, { users: [] }, { users: 'any' }],
  ['a limit', { limits: { concurrency: 1 } }, { limits: { concurrency: 1 } }],
  ['recorded arguments', { record_arguments: false }, { record_arguments: false }, { record_arguments: true }],
  ['time', { expires_at: '2099-01-01T00:00:00.000Z' }, { expires_at: '2099-01-01T00:00:00.000Z' }],
]

it.each(TAKEN)(
  'concurrent changes of a key do not undo a change of its access: %s',
  async (_, change, after, before) => {
    const keys = await Promise.all(Array.from({ length: KEYS }, () => newKey(before)))
    for (const { path } of keys) {
      const answers = await Promise.all([
        send(['PATCH', path, { name: 'a' }]),
        send(['PATCH', path, change]),
        send(['PATCH', path, { name: 'b' }]),
        send(['POST', `${path}/rotate`, {}]),
      ])
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
      expect(await read(path)).toMatchObject(after)
    }
  },
)

it('a leaked key with admin rights that changes itself in a loop keeps no rights after they are removed', async () => {
  for (let time = 0; time < 10; time++) {
    const { path, as } = await newKey()
    let isOver = false
    const loop = async () => {
      while (!isOver) {
        const answers = await Promise.all([
          send(['PATCH', path, { name: `n${Math.random()}` }], as),
          send(['PATCH', path, { record_arguments: true }], as),
        ])
        // Until the isolates that it asks know of the change
        if (answers.every(({ status }) => status === 403)) return
      }
    }
    const looping = loop()
    await send(['PATCH', path, { scopes: ['tools:read'] }])
    const { scopes } = await read(path)
    await new Promise((done) => setTimeout(done, 50))
    isOver = true
    await looping
    expect([scopes, (await read(path)).scopes]).toEqual([['tools:read'], ['tools:read']])
  }
})

it('a leaked key that is deleted stays deleted despite concurrent changes of it', async () => {
  for (let time = 0; time < 10; time++) {
    const { path, as } = await newKey()
    await Promise.all([
      send(['PATCH', path, { name: 'x' }], as),
      send(['POST', `${path}/rotate`, { overlap_seconds: 86_400 }], as),
      send(['DELETE', path, undefined]),
      send(['PATCH', path, { name: 'y' }], as),
      send(['POST', `${path}/rotate`, {}], as),
    ])
    expect((await server.json('GET', path, undefined, asAdmin)).status).toBe(404)
    expect((await server.json('GET', '/tools', undefined, as)).status).toBe(401)
  }
})

it('of two concurrent changes with the same If-Match, only one is applied', async () => {
  const { path } = await newKey()
  const etag = async (at: string) =>
    (await fetch(`${server.url}${at}`, { headers: asAdmin })).headers.get('etag') ?? 'none'
  for (const [at, one, other] of [
    [path, { scopes: ['tools:read'] }, { name: 'mine' }],
    ['/policies/Mail.*', { approval: true }, { security_level: 8 }],
    [
      '/providers/mail',
      { name: 'One', issuer: 'https://one.test', client_id: 'a' },
      { name: 'Other', issuer: 'https://other.test', client_id: 'b' },
    ],
  ] as const) {
    const method = at === path ? 'PATCH' : 'PUT'
    if (method === 'PUT') expect((await send([method, at, one])).status).toBeLessThan(300)
    const held: Headers = { ...asAdmin, 'if-match': await etag(at) }
    const answers = await Promise.all([
      send([method, at, other], held),
      send([method, at, one], held),
      send([method, at, other], held),
    ])
    const done = answers.filter(({ status }) => status < 300)
    // Of two requests for the same change, the second changes nothing
    expect(answers.filter(({ status }) => status === 412).length + done.length).toBe(3)
    expect(done.length, at).toBeLessThan(3)
  }
})

it("a transfer during a toolkit's deletion either happens before it or is refused", async () => {
  for (let time = 0; time < 8; time++) {
    const toolkit = `Gone${time}`
    const publisher = await keyOf(server, [`${toolkit}.*`])
    await send(['POST', '/tools', definition(`${toolkit}.Tool@1.0.0`)], publisher.as)
    await send(['PATCH', `/toolkits/${toolkit}`, { status: 'disabled' }])
    const [deleted, given] = await Promise.all([
      send(['DELETE', `/toolkits/${toolkit}`, undefined]),
      send(['PUT', `/toolkits/${toolkit}`, { owner: null }]),
      send(['PATCH', `/toolkits/${toolkit}`, { tags: ['a'] }]),
    ])
    expect(deleted.status).toBe(200)
    const found = await read(`/toolkits/${toolkit}`)
    // Either the transfer came first, or it was refused
    expect([200, 409]).toContain(given.status)
    expect(found.owner).toBe(given.status === 200 ? null : publisher.id)
    expect((await send(['PUT', `/toolkits/${toolkit}`, { owner: null }])).status).toBe(409)
  }
})

it('concurrent changes of different parts of a toolkit are all kept', async () => {
  const publisher = await keyOf(server, ['Parts.*'])
  await send(['POST', '/tools', definition('Parts.Tool@1.0.0')], publisher.as)
  for (let time = 0; time < 8; time++) {
    const review = time % 2 === 0
    await Promise.all([
      send(['PATCH', '/toolkits/Parts', { tags: [`t${time}`] }]),
      send(['PATCH', '/toolkits/Parts', { review }]),
      send(['PUT', '/toolkits/Parts', { owner: `key:${publisher.id}` }]),
      send(['PATCH', '/toolkits/Parts', { status: review ? 'disabled' : 'active' }]),
    ])
    expect(await read('/toolkits/Parts')).toMatchObject({ tags: [`t${time}`], review })
  }
})
