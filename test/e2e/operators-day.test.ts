import { afterAll, beforeAll, expect, it } from 'vitest'
import { startUpstream, type Upstream } from '../upstream.ts'
import { type RunningServer, startApp } from './server.ts'

const ADMIN_KEY = 'the-administrator-of-this-test'
const ADMIN = { authorization: `Bearer ${ADMIN_KEY}` }
const KEYS = 10
const USERS = ['ann', 'bob', 'eve'] as const
const CALLS = 2_000
const AT_ONCE = 16

/** A call and its result, as its caller remembers them. */
interface Made {
  readonly key: number
  readonly tool: string
  readonly user: string | undefined
  readonly outcome: string
}

interface Key {
  readonly id: string
  text: string
}

let server: RunningServer
let upstream: Upstream
const keys: Key[] = []
const made: Made[] = []
let began = ''

beforeAll(async () => {
  upstream = await startUpstream(({ url }, response) => {
    response.writeHead(url === '/broken' ? 500 : 200, { 'content-type': 'application/json' }).end('{"ok":true}')
  })
  server = await startApp({ vars: { ACCESS: 'keys', ADMIN_KEY, ALLOW_HTTP_HOSTS: upstream.host } })
  began = new Date().toISOString()
  await publish('Post', 'Send', 'Sends a mail to somebody')
  await publish('Post', 'Find', 'Finds mails in the mailbox')
  await publish('Letters', 'Deliver', 'Sends a mail by post, on paper')
  await publish('Weather', 'Broken', 'Tells the weather of tomorrow')
  for (let n = 0; n < KEYS; n++) {
    const body = { name: `agent ${n}`, scopes: ['tools:read', 'tools:call'], users: n < 5 ? ['ann', 'bob'] : 'any' }
    const { status, body: key } = await server.json('POST', '/keys', body, ADMIN)
    expect(status).toBe(201)
    keys.push({ id: `key:${key.id}`, text: key.key })
  }
  await theDay()
}, 300_000)
afterAll(() => Promise.all([server?.stop(), upstream?.close()]))

async function publish(toolkit: string, name: string, description: string): Promise<void> {
  const document = {
    definition: { name, description, inputSchema: { type: 'object', properties: { text: { type: 'string' } } } },
    toolkit,
    version: '1.0.0',
    implementation: { kind: 'http', method: 'POST', url: `${upstream.origin}/${name.toLowerCase()}` },
  }
  const { status, body } = await server.json('POST', '/tools', document, ADMIN)
  expect(status, JSON.stringify(body)).toBe(201)
}

/** Makes 2,000 calls, about a third of which fail; meanwhile a key leaks and a toolkit is disabled. */
async function theDay(): Promise<void> {
  await calls(0, CALLS / 2)
  // The key of agent 3 leaked: the thief calls with it, and it is rotated
  const leaked = keys[3]
  if (!leaked) throw new Error('There is no such key')
  const stolen = leaked.text
  await call({ key: 3, tool: 'Post.Find', user: 'bob', outcome: 'success' }, stolen)
  const path = `/keys/${leaked.id.slice('key:'.length)}/rotate`
  const rotated = await server.json('POST', path, { overlap_seconds: 0 }, ADMIN)
  expect(rotated.status).toBe(200)
  leaked.text = rotated.body.key
  expect((await server.json('POST', '/tools/call', { tool_id: 'Post.Find' }, bearer(stolen))).status).toBe(401)
  await calls(CALLS / 2, (3 * CALLS) / 4)
  // Deliveries are disabled
  expect((await server.json('PATCH', '/toolkits/Letters', { status: 'disabled' }, ADMIN)).status).toBe(200)
  await calls((3 * CALLS) / 4, CALLS, true)
}

const bearer = (text: string) => ({ authorization: `Bearer ${text}` })

async function calls(from: number, to: number, lettersAreOff = false): Promise<void> {
  for (let start = from; start < to; start += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, to - start) }, (_, n) => plan(start + n, lettersAreOff))
    await Promise.all(some.map((each) => call(each)))
  }
}

/** Plans the nth call of the day. */
function plan(n: number, lettersAreOff: boolean): Made {
  const key = n % KEYS
  const user = USERS[n % USERS.length]
  // The keys of the first agents do not act for Eve
  if (key < 5 && user === 'eve') return { key, tool: 'Post.Find', user, outcome: 'forbidden' }
  if (n % 17 === 0) return { key, tool: 'Weather.Broken', user, outcome: 'tool-failed' }
  if (n % 19 === 0) return { key, tool: 'Post.Send', user, outcome: 'input-invalid' }
  if (n % 23 === 0) return { key, tool: 'Post.Sned', user, outcome: 'tool-unknown' }
  if (n % 5 === 0) return { key, tool: 'Letters.Deliver', user, outcome: lettersAreOff ? 'tool-disabled' : 'success' }
  return { key, tool: n % 2 === 0 ? 'Post.Send' : 'Post.Find', user, outcome: 'success' }
}

async function call(planned: Made, text = keys[planned.key]?.text ?? ''): Promise<void> {
  const { tool, user, outcome } = planned
  const input = { text: outcome === 'input-invalid' ? 5 : 'hello' }
  const body = { tool_id: tool, input, context: { user_id: user } }
  const { status, body: answer } = await server.json('POST', '/tools/call', body, bearer(text))
  expect(status === 200 && answer.result.success, JSON.stringify(answer)).toBe(outcome === 'success')
  made.push(planned)
}

/** Repeats a request until it includes the last records, which appear a second late. */
async function asked(path: string, isWhole: (body: any) => boolean): Promise<any> {
  for (const end = Date.now() + 30_000; ;) {
    const { status, body } = await server.json('GET', path, undefined, ADMIN)
    expect(status, JSON.stringify(body)).toBe(200)
    if (isWhole(body) || Date.now() > end) return body
    await new Promise((done) => setTimeout(done, 200))
  }
}

/** Counts the calls by a value. */
function counted(some: readonly Made[], value: (each: Made) => string): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const each of some) counts[value(each)] = (counts[value(each)] ?? 0) + 1
  return counts
}

const callsOf = (items: readonly { readonly calls: number }[]) => items.reduce((sum, each) => sum + each.calls, 0)

it('after a day with ten keys, three users and 2,000 calls, one request shows who called a tool', async () => {
  const sent = made.filter(({ tool, outcome }) => tool === 'Post.Send' && outcome !== 'tool-unknown')
  const { items } = await asked(
    `/usage?tool=Post.Send&by=principal,user_id&since=${began}`,
    (body) => callsOf(body.items) === sent.length,
  )
  const told = items.map(({ group, calls: count }: any) => [`${group.principal} ${group.user_id}`, count])
  expect(Object.fromEntries(told)).toEqual(counted(sent, ({ key, user }) => `${keys[key]?.id} ${user}`))
  const { items: each } = await asked(
    `/calls?tool=Post.Send&since=${began}&limit=1000`,
    (body) => body.items.length === sent.length,
  )
  expect(each).toHaveLength(sent.length)
  expect(new Set(each.map(({ principal_name: name }: any) => name)).size).toBe(KEYS)
})

it('after a day with ten keys, three users and 2,000 calls, one request shows what a key did', async () => {
  const leaked = keys[3]?.id
  const did = made.filter(({ key }) => key === 3)
  const { items } = await asked(`/calls?principal=${leaked}&limit=1000`, (body) => body.items.length === did.length)
  const told = items.map(({ tool, user_id: user, outcome }: any) => `${tool.split('@')[0]} ${user} ${outcome}`)
  expect(counted(told, (each: any) => each)).toEqual(
    // No call is recorded for a user that its key may not act for
    counted(did, ({ tool, user, outcome }) => saidOf(tool, outcome === 'forbidden' ? undefined : user, outcome)),
  )
  const { items: acts } = await asked('/audit?act=key.rotate', (body) => body.items.length === 1)
  const about = { name: expect.any(String), previous_expires_at: expect.any(String) }
  expect(acts).toMatchObject([
    { principal: 'admin', path: `/keys/${leaked?.slice(4)}/rotate`, outcome: 'success', about },
  ])
})

it('after a day with ten keys, three users and 2,000 calls, one request shows what fails most', async () => {
  const failed = made.filter(({ outcome }) => outcome !== 'success')
  const { items } = await asked(
    `/usage?outcome=failure&by=tool,outcome&since=${began}`,
    (body) => callsOf(body.items) === failed.length,
  )
  const told = items.map(({ group, calls: count, failures }: any) => {
    expect(failures).toBe(count)
    return [`${group.tool} ${group.outcome}`, count]
  })
  expect(Object.fromEntries(told)).toEqual(
    counted(failed, ({ tool, outcome }) => `${outcome === 'tool-unknown' ? '' : tool} ${outcome}`),
  )
  expect(told.map(([, count]: any) => count)).toEqual(
    told.map(([, count]: any) => count).sort((a: number, b: number) => b - a),
  )
})

it('after a day with ten keys, three users and 2,000 calls, one request shows which tools can send mail', async () => {
  const { items } = await asked('/tools?q=send%20mail', () => true)
  const ids = items.map(({ id }: any) => id)
  expect(ids[0]).toBe('Post.Send@1.0.0')
  // Deliveries are disabled
  expect(ids).not.toContain('Letters.Deliver@1.0.0')
  expect(ids).not.toContain('Weather.Broken@1.0.0')
})

it('after a day with ten keys, three users and 2,000 calls, one request shows the number of calls by outcome', async () => {
  const { items, lost } = await asked(`/usage?by=outcome&since=${began}`, (body) => callsOf(body.items) === made.length)
  expect(lost).toBe(0)
  expect(Object.fromEntries(items.map(({ group, calls: count }: any) => [group.outcome, count]))).toEqual(
    counted(made, ({ outcome }) => outcome),
  )
  const ofLetters = ({ path }: any) => path === '/toolkits/Letters'
  const { items: acts } = await asked('/audit?limit=1000', (body) => body.items.some(ofLetters))
  expect(counted(acts, ({ act }: any) => act)).toMatchObject({
    'tools.publish': 4,
    'key.create': KEYS,
    'key.rotate': 1,
    'refusal': 1,
  })
  expect(acts.filter(ofLetters)).toHaveLength(1)
})

/** Formats a call as in the records, which omit the user if the tool does not exist. */
function saidOf(tool: string, user: string | undefined, outcome: string): string {
  return `${tool} ${outcome === 'tool-unknown' ? undefined : user} ${outcome}`
}
