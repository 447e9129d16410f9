import { FetchCapability } from '../../src/core/access/principal.ts'
import { afterEach, describe, expect, test } from 'vitest'
import { createGuardedFetch } from '../../src/outbound/guarded-fetch.ts'
import type { GuardedFetchOptions, GuardedRequest } from '../../src/outbound/guarded-fetch.ts'
import { toFetch } from '../../src/outbound/as-fetch.ts'
import type { TrafficControl } from '../../src/outbound/traffic-control.ts'
import { startUpstream } from '../upstream.ts'
import type { Upstream } from '../upstream.ts'

const servers: Upstream[] = []

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

async function serve(answer: Parameters<typeof startUpstream>[0]): Promise<Upstream> {
  const server = await startUpstream(answer)
  servers.push(server)
  return server
}

type Sent = { readonly url: string; readonly method: string; readonly headers: Headers; readonly body: unknown }

/** A network that answers from a table of URLs, and keeps what was sent. */
function fakeFetch(answers: Readonly<Record<string, () => Response>>) {
  const sent: Sent[] = []
  const fetch = ((input: string, init: RequestInit = {}) => {
    sent.push({ url: input, method: init.method ?? 'GET', headers: new Headers(init.headers), body: init.body })
    const answer = answers[input]
    return answer ? Promise.resolve(answer()) : Promise.reject(new TypeError(`nothing at ${input}`))
  }) as typeof globalThis.fetch
  return { fetch, sent }
}

const redirectTo =
  (location: string, status = 302) =>
  () =>
    new Response(null, { status, headers: { location } })

function request(url: string, more: Partial<GuardedRequest> = {}): GuardedRequest {
  return {
    method: 'GET',
    url,
    headers: new Headers(),
    credentialHeaders: [],
    initiator: new FetchCapability('test'),
    signal: AbortSignal.timeout(10_000),
    ...more,
  }
}

function guard(options: Partial<GuardedFetchOptions> = {}) {
  return createGuardedFetch({ fetch: globalThis.fetch, allowHttpHosts: new Set(), ...options })
}

describe('a tool with declared hosts', () => {
  const tool = (hosts?: readonly string[]) => ({
    toolkit: 'Kit',
    caller: 'ann',
    timeoutMs: 1_000,
    hosts,
    signal: AbortSignal.timeout(10_000),
  })
  const network = () =>
    fakeFetch({
      'https://api.example.com/': () => new Response('here'),
      'https://api.example.com:8443/': () => new Response('at another port'),
      'https://api.example.com/away': redirectTo('https://other.example.com/'),
      'https://api.example.com/back': redirectTo('https://api.example.com/'),
      'https://other.example.com/': () => new Response('elsewhere'),
    })

  test.each<[string, readonly string[] | undefined, boolean]>([
    ['https://api.example.com/', ['api.example.com'], true],
    ['https://api.example.com/back', ['api.example.com:443'], true],
    ['https://other.example.com/', undefined, true],
    ['https://other.example.com/', ['api.example.com'], false],
    ['https://api.example.com/away', ['api.example.com'], false],
    ['https://api.example.com:8443/', ['api.example.com'], false],
    ['https://api.example.com/', [], false],
  ])('a tool with declared hosts reaches %s, of %j: %s', async (url, hosts, isReached) => {
    const { fetch, sent } = network()
    const result = await guard({ fetch })(request(url, { initiator: tool(hosts) }))
    expect(result.ok).toBe(isReached)
    if (!isReached)
      expect(result).toMatchObject({ kind: 'refused', message: expect.stringContaining("the tool's hosts") })
    expect(sent.some(({ url: reached }) => reached === 'https://other.example.com/')).toBe(hosts === undefined)
  })
})

describe('a response that is scanned for secrets', () => {
  const URL_OF = 'https://api.example.com/'
  const answering = (headers: Record<string, string>, status = 200, body: string | null = 'half a secr') =>
    fakeFetch({ [URL_OF]: () => new Response(body, { status, headers }) })

  test.each(['deflate', 'zstd', 'compress', 'x-gzip', 'gzip, deflate', 'gzip, gzip', 'GZIP,br', 'aes128gcm', 'x'])(
    'a response that is scanned for secrets is refused in the encoding %j, which the platform does not decode',
    async (encoding) => {
      const { fetch } = answering({ 'content-encoding': encoding })
      const result = await guard({ fetch })(request(URL_OF, { allowsPartial: true }))
      const shown = `its content encoding is '${encoding.toLowerCase()}'`
      const message = `Cannot read the answer of "https://api.example.com": ${shown}`
      expect(result).toMatchObject({ ok: false, kind: 'refused', message })
    },
  )

  test.each(['gzip', 'GZip', 'br', 'identity', ' ', ''])(
    'a response that is scanned for secrets is accepted in the encoding %j',
    async (encoding) => {
      const { fetch } = answering({ 'content-encoding': encoding })
      expect(await guard({ fetch })(request(URL_OF))).toMatchObject({ ok: true })
    },
  )

  test('a response that is scanned for secrets is accepted in any encoding if it has no body', async () => {
    const { fetch } = answering({ 'content-encoding': 'deflate' }, 204, null)
    expect(await guard({ fetch })(request(URL_OF))).toMatchObject({ ok: true })
  })

  test.each([
    ['206', 206, {}],
    ['a range', 200, { 'content-range': 'bytes 0-10/20' }],
    ['several ranges', 206, { 'content-type': 'multipart/byteranges; boundary=x' }],
    ['a range of an error', 416, { 'content-range': 'bytes */20' }],
  ])(
    'a response that is scanned for secrets is refused if it is a part without a request for one: %s',
    async (_, status, headers) => {
      const { fetch } = answering(headers, status)
      const message = 'Cannot read the answer of "https://api.example.com": it is only a part'
      expect(await guard({ fetch })(request(URL_OF))).toMatchObject({ ok: false, kind: 'refused', message })
      expect(await guard({ fetch })(request(URL_OF, { allowsPartial: true }))).toMatchObject({ ok: true })
    },
  )

  test('a response that is scanned for secrets is requested as a whole, in encodings that the platform decodes, on every hop', async () => {
    const { fetch, sent } = fakeFetch({
      'https://api.example.com/a': redirectTo('/b'),
      'https://api.example.com/b': () => new Response('ok'),
    })
    const headers = { 'Range': 'bytes=0-3', 'If-Range': '"x"', 'Accept-Encoding': 'deflate', 'X-Own': 'yes' }
    for (const allowsPartial of [undefined, false, true]) {
      sent.length = 0
      const more = allowsPartial === undefined ? {} : { allowsPartial }
      await guard({ fetch })(request('https://api.example.com/a', { headers: new Headers(headers), ...more }))
      expect(sent).toHaveLength(2)
      for (const { headers: reached } of sent) {
        expect([...reached.keys()]).toEqual(allowsPartial ? ['if-range', 'range', 'x-own'] : ['x-own'])
      }
    }
  })
})

const hostile = [
  // IPv4 in every notation the URL Standard knows
  'https://127.0.0.1/',
  'https://127.1/',
  'https://2130706433/',
  'https://0x7f000001/',
  'https://0x7f.0.0.1/',
  'https://017700000001/',
  'https://0177.0.0.1/',
  'https://127.0.0.1./',
  'https://１２７。０。０。１/',
  'https://%31%32%37.0.0.1/',
  'https://0.0.0.0/',
  'https://0/',
  'https://10.1.2.3/',
  'https://172.16.0.1/',
  'https://172.31.255.255/',
  'https://192.168.1.1/',
  'https://169.254.169.254/latest/meta-data/',
  'https://0xa9fea9fe/',
  'https://2852039166/',
  'https://100.64.0.1/',
  'https://192.0.0.1/',
  'https://192.0.2.1/',
  'https://198.18.0.1/',
  'https://198.51.100.1/',
  'https://203.0.113.1/',
  'https://224.0.0.1/',
  'https://240.0.0.1/',
  'https://255.255.255.255/',
  // IPv6
  'https://[::]/',
  'https://[::1]/',
  'https://[0:0:0:0:0:0:0:1]/',
  'https://[fe80::1]/',
  'https://[fec0::1]/',
  'https://[fc00::1]/',
  'https://[fd00:ec2::254]/',
  'https://[ff02::1]/',
  'https://[2001:db8::1]/',
  'https://[100::1]/',
  // IPv4 inside IPv6: compatible, mapped, translated, NAT64, 6to4, Teredo
  'https://[::127.0.0.1]/',
  'https://[::7f00:1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:a9fe:a9fe]/',
  'https://[::ffff:0:10.0.0.1]/',
  'https://[64:ff9b::10.0.0.1]/',
  'https://[64:ff9b:1::8.8.8.8]/',
  'https://[2002:7f00:1::]/',
  'https://[2002:a9fe:a9fe::1]/',
  'https://[2001:0:808:808::80ff:fffe]/',
  'https://[2001:0:a00:1::f7f7:f7f7]/',
  // Names
  'https://localhost/',
  'https://LOCALHOST/',
  'https://localhost./',
  'https://app.localhost/',
  'https://printer.local/',
  'https://metadata.google.internal/',
  'https://router.home.arpa/',
  'https://wiki.intranet/',
  'https://nas.lan/',
  'https://mail.corp/',
  'https://intranet/',
  'https://redis/',
  'https://example.com./',
  // Schemes and user names
  'http://example.com/',
  'ftp://example.com/',
  'file:///etc/passwd',
  'data:text/plain,hello',
  'https://user@example.com/',
  'https://user:password@example.com/',
  'https://:password@example.com/',
  'https://example.com@127.0.0.1/',
  '/relative',
  '',
]

test.each(hostile)('a guarded fetch refuses "%s" without sending anything', async (url) => {
  const { fetch, sent } = fakeFetch({})
  const result = await guard({ fetch })(request(url))
  expect(result).toMatchObject({ ok: false, kind: 'refused' })
  expect(sent).toEqual([])
})

test.each([
  'https://example.com/',
  'https://example.com:8443/',
  'https://8.8.8.8/',
  'https://134744072/',
  'https://[2606:4700:4700::1111]/',
  'https://[::ffff:8.8.8.8]/',
  'https://[64:ff9b::8.8.8.8]/',
  'https://[2002:808:808::1]/',
  'https://localhost.example.com/',
  'https://my-local.dev/',
])('a guarded fetch requests "%s"', async (url) => {
  const { fetch } = fakeFetch({ [new URL(url).href]: () => new Response('hello') })
  expect(await guard({ fetch })(request(url))).toMatchObject({ ok: true, response: { status: 200 } })
})

test('a guarded fetch explains what is wrong, without the path and the query', async () => {
  const result = await guard()(request('http://example.com/bot123/send?key=456'))
  expect(result).toMatchObject({
    message: 'Cannot request "http://example.com": wanted "https:", got "http:"',
    remedy: expect.stringContaining('ALLOW_HTTP_HOSTS'),
  })
})

test.each([
  ['localhost:3000', 'http://localhost:3000/', true],
  ['localhost:3000', 'https://localhost:3000/', true],
  ['localhost:3000', 'http://localhost:3001/', false],
  ['localhost:3000', 'http://localhost/', false],
  ['localhost', 'http://localhost/', true],
  ['localhost', 'https://localhost/', true],
  ['localhost', 'http://localhost:3000/', false],
  ['localhost:80', 'http://localhost/', true],
  ['localhost:80', 'https://localhost/', false],
  ['LocalHost:443', 'https://localhost/', true],
  ['10.0.0.1:8080', 'http://0xa.1:8080/', true],
  ['[::1]:8080', 'http://[0:0::1]:8080/', true],
  ['localhost:3000', 'http://user@localhost:3000/', false],
  ['localhost:3000', 'ftp://localhost:3000/', false],
])('a guarded fetch with "%s" allowed, "%s" is %s', async (entry, url, allowed) => {
  const { fetch } = fakeFetch({ [new URL(url).href]: () => new Response('hello') })
  expect((await guard({ fetch, allowHttpHosts: new Set([entry]) })(request(url))).ok).toBe(allowed)
})

test('redirects are followed, and the response has the final URL', async () => {
  const server = await serve(({ url }, response) => {
    if (url === '/end') response.end('done')
    else response.writeHead(302, { location: '/end' }).end('moved')
  })
  const result = await guard({ allowHttpHosts: new Set([server.host]) })(request(`${server.origin}/start`))
  if (!result.ok) throw new Error(result.message)
  expect(result.response.url).toBe(`${server.origin}/end`)
  expect(new TextDecoder().decode(result.response.body)).toBe('done')
})

test.each([
  'https://169.254.169.254/latest/meta-data/iam',
  'https://[::ffff:169.254.169.254]/',
  'https://localhost/',
  'https://user:password@example.com/',
  'file:///etc/passwd',
  'http://example.com/downgraded',
  '//127.0.0.1/',
  'https://exa mple.com/',
])('redirects to "%s" are refused', async (location) => {
  const { fetch, sent } = fakeFetch({ 'https://example.com/': redirectTo(location) })
  const result = await guard({ fetch })(request('https://example.com/'))
  expect(result).toMatchObject({ ok: false, kind: 'refused' })
  expect(sent).toHaveLength(1)
})

test('redirects from an allowed local server to another local port are refused', async () => {
  const other = await serve((_, response) => void response.end('secret'))
  const server = await serve((_, response) => void response.writeHead(302, { location: other.origin }).end())
  const result = await guard({ allowHttpHosts: new Set([server.host]) })(request(server.origin))
  expect(result).toMatchObject({ ok: false, kind: 'refused' })
  expect(other.arrived).toEqual([])
})

test('redirects end after five', async () => {
  const server = await serve(({ url }, response) => {
    const left = Number(url.slice(1))
    if (left === 0) response.end('done')
    else response.writeHead(307, { location: `/${left - 1}` }).end()
  })
  const guarded = guard({ allowHttpHosts: new Set([server.host]) })
  expect(await guarded(request(`${server.origin}/5`))).toMatchObject({ ok: true })
  expect(await guarded(request(`${server.origin}/6`))).toMatchObject({ ok: false, kind: 'too-many-redirects' })
})

test('circular redirects end', async () => {
  const { fetch, sent } = fakeFetch({ 'https://example.com/': redirectTo('https://example.com/') })
  const result = await guard({ fetch })(request('https://example.com/'))
  expect(result).toMatchObject({ ok: false, kind: 'too-many-redirects' })
  expect(sent).toHaveLength(6)
})

test('redirects are returned on request, and if they have no location', async () => {
  const { fetch } = fakeFetch({
    'https://example.com/': redirectTo('https://example.com/next'),
    'https://example.com/nowhere': () => new Response('?', { status: 302 }),
  })
  const manual = await guard({ fetch })(request('https://example.com/', { redirect: 'manual' }))
  expect(manual).toMatchObject({ ok: true, response: { status: 302, url: 'https://example.com/' } })
  const nowhere = await guard({ fetch })(request('https://example.com/nowhere'))
  expect(nowhere).toMatchObject({ ok: true, response: { status: 302 } })
})

test.each([
  [301, 'POST', 'GET'],
  [302, 'POST', 'GET'],
  [303, 'POST', 'GET'],
  [303, 'PUT', 'GET'],
  [303, 'HEAD', 'HEAD'],
  [301, 'PUT', 'PUT'],
  [302, 'PATCH', 'PATCH'],
  [307, 'POST', 'POST'],
  [308, 'POST', 'POST'],
])('a redirect with %i turns %s into %s', async (status, method, expected) => {
  const server = await serve(({ url }, response) => {
    if (url === '/end') response.end()
    else response.writeHead(status, { location: '/end' }).end()
  })
  const body = method === 'HEAD' ? undefined : '{"a":1}'
  await guard({ allowHttpHosts: new Set([server.host]) })(
    request(server.origin, { method, body, headers: new Headers({ 'content-type': 'application/json' }) }),
  )
  const last = server.arrived[1]
  expect(server.arrived).toHaveLength(2)
  expect(last?.method).toBe(expected)
  const keepsBody = expected === method && body !== undefined
  expect(last?.body).toBe(keepsBody ? body : '')
  if (expected === 'GET') expect(last?.headers['content-type']).toBeUndefined()
})

const credentials = new Headers({
  'authorization': 'Bearer token',
  'cookie': 'session=1',
  'proxy-authorization': 'Basic abc',
  'X-Custom-Key': 'key',
  'x-harmless': 'yes',
})

test('redirects to another origin lose every credential header, even within it and on the way back', async () => {
  const { fetch, sent } = fakeFetch({
    'https://a.example.com/': redirectTo('https://b.example.com/'),
    'https://b.example.com/': redirectTo('/further'),
    'https://b.example.com/further': redirectTo('https://a.example.com/end'),
    'https://a.example.com/end': () => new Response('done'),
  })
  await guard({ fetch })(
    request('https://a.example.com/', { headers: credentials, credentialHeaders: ['x-custom-KEY'] }),
  )
  const carried = sent.map(({ headers }) => [...headers.keys()])
  expect(carried[0]).toEqual(['authorization', 'cookie', 'proxy-authorization', 'x-custom-key', 'x-harmless'])
  expect(carried[1]).toEqual(['x-harmless'])
  expect(carried[2]).toEqual(['x-harmless'])
  expect(carried[3]).toEqual(['x-harmless'])
  expect(credentials.get('authorization')).toBe('Bearer token')
})

test('a redirect to another port counts as one to another origin', async () => {
  const other = await serve((_, response) => void response.end())
  const server = await serve((_, response) => void response.writeHead(302, { location: other.origin }).end())
  await guard({ allowHttpHosts: new Set([server.host, other.host]) })(
    request(server.origin, {
      headers: new Headers({ 'authorization': 'Bearer token', 'x-key': 'k' }),
      credentialHeaders: ['x-key'],
    }),
  )
  expect(server.arrived[0]?.headers).toMatchObject({ 'authorization': 'Bearer token', 'x-key': 'k' })
  expect(other.arrived[0]?.headers).not.toHaveProperty('authorization')
  expect(other.arrived[0]?.headers).not.toHaveProperty('x-key')
})

test('redirects within the origin keep the credentials', async () => {
  const { fetch, sent } = fakeFetch({
    'https://example.com/': redirectTo('/end'),
    'https://example.com/end': () => new Response('done'),
  })
  await guard({ fetch })(request('https://example.com/', { headers: credentials, credentialHeaders: ['x-custom-key'] }))
  expect(sent[1]?.headers.get('authorization')).toBe('Bearer token')
  expect(sent[1]?.headers.get('x-custom-key')).toBe('key')
})

test('redirects that would send a credential in a body to another origin are refused, unless the body is dropped', async () => {
  const { fetch, sent } = fakeFetch({
    'https://a.example.com/307': redirectTo('https://b.example.com/', 307),
    'https://a.example.com/303': redirectTo('https://b.example.com/', 303),
    'https://b.example.com/': () => new Response('done'),
  })
  const post = { method: 'POST', body: 'client_secret=1', credentialBody: true }
  expect(await guard({ fetch })(request('https://a.example.com/307', post))).toMatchObject({ kind: 'refused' })
  expect(sent).toHaveLength(1)
  expect(await guard({ fetch })(request('https://a.example.com/303', post))).toMatchObject({ ok: true })
  expect(sent[2]?.body).toBeUndefined()
})

test('responses over the limit are cut off, whatever length they declare', async () => {
  const server = await serve((_, response) => void response.end('x'.repeat(1001)))
  const guarded = guard({ allowHttpHosts: new Set([server.host]), maxResponseBytes: 1000 })
  expect(await guarded(request(server.origin))).toMatchObject({ ok: false, kind: 'too-large', status: 200 })
})

test('responses of exactly the limit arrive', async () => {
  const server = await serve((_, response) => void response.end('x'.repeat(1000)))
  const guarded = guard({ allowHttpHosts: new Set([server.host]), maxResponseBytes: 1000 })
  const result = await guarded(request(server.origin))
  expect(result.ok && result.response.body.byteLength).toBe(1000)
})

test('responses with too many parts to parse are refused', async () => {
  const server = await serve((_, response) => void response.end('[[],[],"a,:[",0]'))
  const read = (maxParts: number) => guard({ allowHttpHosts: new Set([server.host]), maxParts })(request(server.origin))
  expect(await read(6)).toMatchObject({ ok: true })
  expect(await read(5)).toMatchObject({ ok: false, kind: 'too-large' })
})

test('responses that never end are canceled', async () => {
  let cancelled = false
  const endless = () =>
    new Response(
      new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(64 * 1024)),
        cancel: () => void (cancelled = true),
      }),
    )
  const { fetch } = fakeFetch({ 'https://example.com/': endless })
  expect(await guard({ fetch })(request('https://example.com/'))).toMatchObject({ ok: false, kind: 'too-large' })
  expect(cancelled).toBe(true)
})

test('responses that stall end with the signal', async () => {
  const server = await serve((_, response) => void response.writeHead(200).write('a little'))
  const controller = new AbortController()
  const guarded = guard({
    allowHttpHosts: new Set([server.host]),
    fetch: async (...args) => {
      const response = await fetch(...args)
      setTimeout(() => controller.abort(), 10)
      return response
    },
  })
  const result = await guarded(request(server.origin, { signal: controller.signal }))
  expect(result).toMatchObject({ ok: false, kind: 'aborted' })
})

test('responses end with the signal even if the fetch or its stream ignores it', async () => {
  const deaf = guard({ fetch: () => new Promise(() => {}) })
  expect(await deaf(request('https://example.com/', { signal: AbortSignal.timeout(10) }))).toMatchObject({
    kind: 'aborted',
  })
  const silent = guard({ fetch: async () => new Response(new ReadableStream({})) })
  expect(await silent(request('https://example.com/', { signal: AbortSignal.timeout(10) }))).toMatchObject({
    kind: 'aborted',
  })
})

test('responses are not requested if the signal has already aborted', async () => {
  const { fetch, sent } = fakeFetch({})
  const result = await guard({ fetch })(request('https://example.com/', { signal: AbortSignal.abort() }))
  expect(result).toMatchObject({ kind: 'aborted' })
  expect(sent).toEqual([])
})

test('responses that break off, and servers that do not exist, are unreachable', async () => {
  const server = await serve((_, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('a little')
    setTimeout(() => response.destroy(), 10)
  })
  const guarded = guard({ allowHttpHosts: new Set([server.host]) })
  expect(await guarded(request(server.origin))).toMatchObject({ ok: false, kind: 'unreachable' })
  await server.close()
  expect(await guarded(request(server.origin))).toMatchObject({ ok: false, kind: 'unreachable' })
})

describe('a body that does not match its content encoding', () => {
  const answering = (error: unknown, encoding = 'gzip') => {
    const body = () => new ReadableStream({ pull: (controller) => controller.error(error) })
    return fakeFetch({
      'https://api.example.com/': () => new Response(body(), { headers: { 'content-encoding': encoding } }),
    })
  }

  test('a body that does not match its content encoding is broken, and one that breaks off with its connection is lost', async () => {
    const result = async (error: unknown, encoding?: string) =>
      guard({ fetch: answering(error, encoding).fetch })(request('https://api.example.com/'))
    const broken = 'Cannot read the answer of "https://api.example.com": it is not in its content encoding'
    expect(await result(new TypeError('Gzip decompression failed.'))).toMatchObject({
      ok: false,
      kind: 'broken',
      message: broken,
    })
    const lost = Object.assign(new Error('Network connection lost.'), { retryable: true })
    expect(await result(lost)).toMatchObject({ kind: 'unreachable' })
    expect(await result(new TypeError('Whatever'), '')).toMatchObject({ kind: 'broken' })
  })
})

describe('the traffic to a host', () => {
  const URL_OF = 'https://api.example.com/'
  const call = new AbortController()
  const asker = { toolkit: 'Kit', caller: 'ann', timeoutMs: 1_000, signal: call.signal }

  /** A guarded fetch that is let through, and how each of its requests ended. */
  function watched(answers: Parameters<typeof fakeFetch>[0]) {
    const ended: string[] = []
    const traffic: TrafficControl = {
      async admit(host, given) {
        expect(given).toBe(asker)
        return { end: (ending) => void ended.push(`${host} ${ending}`) }
      },
      health: () => ({ state: 'closed', failures: 0, inFlight: 0 }),
    }
    const send = (url = URL_OF) =>
      guard({ fetch: fakeFetch(answers).fetch, traffic })(request(url, { initiator: asker }))
    return { ended, send }
  }

  test.each([
    [200, 'success'],
    [404, 'success'],
    [429, 'success'],
    [500, 'success'],
    [503, 'success'],
    [502, 'gateway-error'],
    [504, 'gateway-error'],
  ])('the traffic to a host sees %i as %s', async (status, ending) => {
    const { ended, send } = watched({ [URL_OF]: () => new Response('x', { status }) })
    await send()
    expect(ended).toEqual([`api.example.com ${ending}`])
  })

  test('the traffic to a host sees each hop as a request to its own host', async () => {
    const { ended, send } = watched({
      [URL_OF]: redirectTo('https://other.example.com/'),
      'https://other.example.com/': redirectTo('https://gone.example.com/'),
    })
    expect(await send()).toMatchObject({ ok: false, kind: 'unreachable' })
    expect(ended).toEqual(['api.example.com success', 'other.example.com success', 'gone.example.com failure'])
  })

  test('the traffic to a host does not include requests without a call, or those that are refused anyway', async () => {
    const { ended, send } = watched({})
    await send('http://127.0.0.1/')
    const traffic: TrafficControl = {
      admit: () => Promise.reject(new Error('Asked')),
      health: () => ({ state: 'closed', failures: 0, inFlight: 0 }),
    }
    const { fetch } = fakeFetch({ [URL_OF]: () => new Response('ok') })
    expect(await guard({ fetch, traffic })(request(URL_OF))).toMatchObject({ ok: true })
    expect(ended).toEqual([])
  })

  test('the traffic to a host can delay a request, with a time to retry', async () => {
    const traffic: TrafficControl = {
      admit: async () => ({ kind: 'busy', reason: 'too many', retryAfterMs: 70 }),
      health: () => ({ state: 'closed', failures: 0, inFlight: 64 }),
    }
    const { fetch, sent } = fakeFetch({})
    const message = 'Cannot request "https://api.example.com" now: too many'
    const result = await guard({ fetch, traffic })(request(URL_OF, { initiator: asker }))
    expect(result).toMatchObject({ ok: false, kind: 'busy', message, retryAfterMs: 70 })
    expect(sent).toEqual([])
  })
})

const plain = (options: Partial<GuardedFetchOptions>) => toFetch(guard(options), new FetchCapability('test'))

test('the plain fetch accepts the arguments of fetch, and returns a Response', async () => {
  const server = await serve(({ method, body, headers }, response) => {
    response.writeHead(201, { 'content-type': 'application/json', 'x-answer': 'yes' })
    response.end(JSON.stringify({ method, body, key: headers['x-key'] }))
  })
  const fetch = plain({ allowHttpHosts: new Set([server.host]) })
  const init = { method: 'POST', body: 'hello', headers: { 'x-key': 'k' } }
  for (const input of [server.origin, new URL(server.origin), new Request(server.origin)]) {
    const response = await fetch(input, init)
    expect(response.status).toBe(201)
    expect(response.url).toBe(`${server.origin}/`)
    expect(response.headers.get('x-answer')).toBe('yes')
    expect(await response.json()).toEqual({ method: 'POST', body: 'hello', key: 'k' })
  }
})

test('the plain fetch returns responses without a body', async () => {
  const { fetch } = fakeFetch({ 'https://example.com/': () => new Response(null, { status: 204 }) })
  expect((await plain({ fetch })('https://example.com/')).status).toBe(204)
})

test('the plain fetch explains why it refuses', async () => {
  await expect(plain({})('https://localhost/')).rejects.toThrow(
    new TypeError(
      'Cannot request "https://localhost": the host is not a public name. ' +
        'An administrator allows its host: ALLOW_HTTP_HOSTS=localhost ' +
        '(on your own machine, start again: npm run dev -- --var ALLOW_HTTP_HOSTS:localhost, or npm run serve with that line in .dev.vars)',
    ),
  )
})

test('the plain fetch rejects with the reason of the signal', async () => {
  const fetch = plain({ fetch: () => new Promise(() => {}) })
  const reason = new Error('enough')
  const controller = new AbortController()
  setTimeout(() => controller.abort(reason), 5)
  await expect(fetch('https://example.com/', { signal: controller.signal })).rejects.toBe(reason)
})

test('the plain fetch drops the usual credential headers across origins, and honors the redirect mode', async () => {
  const { fetch, sent } = fakeFetch({
    'https://a.example.com/': redirectTo('https://b.example.com/', 307),
    'https://b.example.com/': () => new Response('done'),
  })
  await plain({ fetch })('https://a.example.com/', {
    headers: { 'x-api-key': 'k', 'authorization': 't', 'x-other': 'o' },
  })
  expect([...(sent[1]?.headers.keys() ?? [])]).toEqual(['x-other'])
  expect((await plain({ fetch })('https://a.example.com/', { redirect: 'manual' })).status).toBe(307)
  await expect(plain({ fetch })('https://a.example.com/', { redirect: 'error' })).rejects.toThrow('it redirects')
  const post = plain({ fetch })('https://a.example.com/', { method: 'POST', body: 'client_secret=1' })
  await expect(post).rejects.toThrow('it would send credentials to "https://b.example.com"')
})

describe('a large response', () => {
  const tool = { toolkit: 'Kit', caller: 'ann', timeoutMs: 1_000, signal: new AbortController().signal }

  test.each<[string, number, GuardedRequest['initiator'], readonly unknown[]]>([
    ['of a tool', 300_000, tool, ['ann', 768_000, 1_536_000, 'released']],
    ['that is not large', 65_000, tool, ['ann', 'released']],
    ['to an import, which has its memory already', 300_000, new FetchCapability('ann'), []],
  ])(
    'a large response reserves memory for three times its bytes as it arrives, until it is read: %s',
    async (_, length, asker, wanted) => {
      const seen: unknown[] = []
      const reserve = (caller: string) => {
        seen.push(caller)
        const grow = async (bytes: number) => seen.push(bytes) > 0
        return { grow, getBytes: () => 0, count: () => undefined, release: () => void seen.push('released') }
      }
      const body = () => {
        let left = Math.ceil(length / 1_000)
        return new ReadableStream({
          pull: (controller) => (left-- > 0 ? controller.enqueue(new Uint8Array(1_000)) : controller.close()),
        })
      }
      const { fetch } = fakeFetch({ 'https://a.example/x': () => new Response(body()) })
      const answer = await guard({ fetch, memory: { reserve } })(request('https://a.example/x', { initiator: asker }))
      expect([answer.ok && answer.response.body.length, seen]).toEqual([length, wanted])
    },
  )
})
