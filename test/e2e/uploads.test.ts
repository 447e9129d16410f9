import { createHash, randomBytes } from 'node:crypto'
import { createServer, type Server as HttpServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { MAX_UPLOAD_BYTES } from '../../src/api/artifacts/wire.ts'
import { raw } from './raw.ts'
import { type Server, startServer } from './server.ts'

const ADMIN_KEY = 'the-administrator-of-this-test'
const ADMIN = { authorization: `Bearer ${ADMIN_KEY}` }
const UNKNOWN = /is not a file of yours/i

/** What arrived at another server, byte for byte. */
const arrived: { readonly type: string | undefined; readonly url: string; readonly body: Buffer }[] = []
let upstream: HttpServer
let host: string
let server: Server
let ann: Record<string, string>
let bob: Record<string, string>

beforeAll(async () => {
  upstream = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      arrived.push({ type: request.headers['content-type'], url: request.url ?? '', body: Buffer.concat(chunks) })
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}')
    })
  })
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
  host = `127.0.0.1:${(upstream.address() as AddressInfo).port}`
  server = await startServer({ vars: { ACCESS: 'keys', ADMIN_KEY, ALLOW_HTTP_HOSTS: host, INLINE_BYTES: '262144' } })
  ann = await keyFor('ann')
  bob = await keyFor('bob')
  const bytes = { type: 'string', contentEncoding: 'base64' }
  const file = {
    type: 'object',
    properties: { filename: { type: 'string' }, data: bytes },
    required: ['filename', 'data'],
  }
  const code = { kind: 'code', module: 'export default (input) => input' }
  const to = (path: string, body: object) => ({
    kind: 'http',
    method: 'POST',
    url: `http://${host}${path}`,
    body,
    response: { type: 'json' },
  })
  await publish('Echo', { file: bytes, text: { type: 'string' }, short: { ...bytes, maxLength: 20 } }, code)
  await publish('Nested', { $ref: { type: 'string' }, all: { type: 'array', items: { $ref: '#/$defs/file' } } }, code, {
    $defs: { file },
  })
  await publish('Raw', { body: bytes }, to('/raw', { type: 'raw', input: 'body' }))
  await publish(
    'Form',
    { attachment: file, note: { type: 'string' }, other: { type: 'string', format: 'binary' } },
    to('/form', { type: 'multipart' }),
  )
  await publish('Large', {}, { kind: 'code', module: "export default () => ({ text: 'x'.repeat(300_000) })" })
  await publish('Json', { data: bytes }, to('/json', { type: 'json' }))
})
afterAll(() => Promise.all([server?.stop(), new Promise((resolve) => upstream?.close(resolve))]))
beforeEach(() => void (arrived.length = 0))

async function keyFor(name: string, users: readonly string[] | 'any' = 'any'): Promise<Record<string, string>> {
  const { body } = await server.json('POST', '/keys', { name, scopes: ['tools:call'], tools: ['*'], users }, ADMIN)
  return { authorization: `Bearer ${body.key}` }
}

async function publish(name: string, properties: object, implementation: object, more: object = {}): Promise<void> {
  const definition = { name, description: 'Takes files', inputSchema: { type: 'object', properties, ...more } }
  const body = { definition, toolkit: 'Files', version: '1.0.0', implementation }
  const published = await server.json('POST', '/tools', body, ADMIN)
  expect(published.status, JSON.stringify(published.body)).toBe(201)
}

const send = (body: BodyInit, headers: Record<string, string> = ann, query = '') =>
  fetch(new URL(`/artifacts${query}`, server.url), { method: 'POST', body, headers })

/** Sends a file, and gives its handle and id. */
async function upload(body: Uint8Array<ArrayBuffer>, headers = ann, query = '') {
  const answer = await send(body, headers, query)
  const said: any = await answer.json()
  expect(answer.status, JSON.stringify(said)).toBe(201)
  return { ...said, path: answer.headers.get('location') ?? '', id: said.handle.slice('artifact:'.length) }
}

async function call(tool: string, input: object, headers = ann, more: object = {}) {
  const { body } = await server.json('POST', '/tools/call', { tool_id: `Files.${tool}`, input, ...more }, headers)
  return body.result ?? body
}

const bytesOf = (size: number) => new Uint8Array(randomBytes(size))
const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

it('an uploaded file has a handle, and only its sender can read and delete it', async () => {
  const bytes = bytesOf(1_000)
  const { handle, path, ...said } = await upload(bytes, { ...ann, 'content-type': 'image/png; x=y' }, '?filename=a.png')
  expect(handle).toMatch(/^artifact:[\w-]{22}$/)
  expect(said).toMatchObject({ size: 1_000, content_type: 'image/png', filename: 'a.png' })
  expect(Date.parse(said.expires_at)).toBeGreaterThan(Date.now() + 80_000_000)
  const read = await fetch(new URL(path, server.url), { headers: ann })
  expect(new Uint8Array(await read.arrayBuffer())).toEqual(bytes)
  expect(read.headers.get('content-security-policy')).toContain('sandbox')
  expect(read.headers.get('content-disposition')).toMatch(/^attachment/)
  const head = await fetch(new URL(path, server.url), { method: 'HEAD', headers: ann })
  expect([head.status, head.headers.get('content-length')]).toEqual([200, '1000'])
  const part = await fetch(new URL(path, server.url), { headers: { ...ann, range: 'bytes=0-9' } })
  expect([part.status, (await part.arrayBuffer()).byteLength]).toEqual([206, 10])

  expect((await fetch(new URL(path, server.url), { method: 'DELETE', headers: ann })).status).toBe(204)
  expect((await fetch(new URL(path, server.url), { method: 'DELETE', headers: ann })).status).toBe(404)
  expect((await call('Echo', { file: handle })).parameter_errors).toMatchObject({
    file: expect.stringMatching(UNKNOWN),
  })
})

it('an uploaded file reaches a tool as Base64 text, wherever its schema expects bytes', async () => {
  const bytes = bytesOf(50_000)
  const { handle } = await upload(bytes)
  const base64 = Buffer.from(bytes).toString('base64')
  expect((await call('Echo', { file: handle, text: handle })).value).toEqual({ file: base64, text: handle })
  const nested = await call('Nested', {
    all: [
      { filename: 'a', data: handle },
      { filename: handle, data: handle },
    ],
  })
  expect(nested.value).toEqual({
    all: [
      { filename: 'a', data: base64 },
      { filename: handle, data: base64 },
    ],
  })
  await call('Json', { data: handle })
  expect(JSON.parse(String(arrived[0]?.body))).toEqual({ data: base64 })
})

it('an uploaded file reaches another server byte for byte, up to the maximum size', async () => {
  const bytes = bytesOf(MAX_UPLOAD_BYTES)
  const { handle, size } = await upload(bytes, { ...ann, 'content-type': 'application/pdf' }, '?filename=large.pdf')
  expect(size).toBe(MAX_UPLOAD_BYTES)
  expect(await call('Raw', { body: handle })).toMatchObject({ success: true })
  expect([arrived[0]?.type, hash(arrived[0]?.body ?? Buffer.of())]).toEqual(['application/pdf', hash(bytes)])
  expect((await call('Echo', { file: handle })).message).toContain('at most 8388608 bytes together')
}, 30_000)

it('an uploaded file can be a part of a form', async () => {
  const bytes = bytesOf(5_000)
  const { handle } = await upload(bytes, { ...ann, 'content-type': 'image/gif' }, '?filename=own%22name.gif')
  expect(
    await call('Form', { attachment: { filename: 'given.bin', data: handle }, note: 'n', other: handle }),
  ).toMatchObject({ success: true })
  const form = await new Response(new Uint8Array(arrived[0]?.body ?? []), {
    headers: { 'content-type': arrived[0]?.type ?? '' },
  }).formData()
  const [attachment, other] = [form.get('attachment'), form.get('other')]
  if (!(attachment instanceof File) || !(other instanceof File)) throw new Error('No files arrived')
  expect([attachment.name, other.type, form.get('note')]).toEqual(['given.bin', 'image/gif', 'n'])
  for (const file of [attachment, other]) expect(new Uint8Array(await file.arrayBuffer())).toEqual(bytes)
})

it('an uploaded file may be empty', async () => {
  const { handle, size } = await upload(new Uint8Array(0))
  expect(size).toBe(0)
  expect((await call('Echo', { file: handle })).value).toEqual({ file: '' })
})

it('an uploaded file gives a repeated call the same response, even after the file was deleted', async () => {
  const { handle, path } = await upload(bytesOf(10))
  const call_id = crypto.randomUUID()
  const first = await call('Raw', { body: handle }, ann, { call_id })
  await fetch(new URL(path, server.url), { method: 'DELETE', headers: ann })
  expect(await call('Raw', { body: handle }, ann, { call_id })).toEqual(first)
  expect(arrived.length).toBe(1)
})

describe('an artifact of a call', () => {
  const made = async () => {
    const link = /https?:[^"\\]+\/artifacts\/[^"\\]+/.exec(JSON.stringify(await call('Large', {})))?.[0] ?? ''
    const bytes = new Uint8Array(await (await fetch(link)).arrayBuffer())
    expect(bytes.byteLength).toBeGreaterThan(300_000)
    return { link, bytes }
  }

  it('an artifact of a call can be the input of another call by its link, wherever the schema expects bytes', async () => {
    const { link, bytes } = await made()
    expect(await call('Json', { data: link })).toMatchObject({ success: true })
    expect(JSON.parse(String(arrived[0]?.body))).toEqual({ data: Buffer.from(bytes).toString('base64') })
    // The link is the credential, as where it is opened
    expect(await call('Raw', { body: link }, bob)).toMatchObject({ success: true })
    expect([arrived[1]?.type, hash(arrived[1]?.body ?? Buffer.of())]).toEqual(['application/json', hash(bytes)])
    expect((await call('Echo', { text: link })).value).toEqual({ text: link })
  })

  it('an artifact of a call cannot be used with a forged link', async () => {
    const { link } = await made()
    const forged = link.replace(/expires=(\d+)/, (_, at) => `expires=${Number(at) + 1}`)
    expect((await call('Json', { data: forged })).parameter_errors).toEqual({
      data: expect.stringContaining('not a link from this Switchboard'),
    })
    expect(arrived).toEqual([])
  })
})

it('a file of another caller, of another user, or one that has expired looks like a missing file', async () => {
  const { handle, id, path } = await upload(bytesOf(10), { ...ann, 'x-user-id': 'u1' })
  const bucket = await server.miniflare.getR2Bucket('ARTIFACTS')
  const { objects } = await bucket.list({ prefix: 'upload/' })
  const key = objects.find((each) => each.key.endsWith(id))?.key ?? ''
  const made = 'artifact:' + 'A'.repeat(22)
  const whole = async (named: string, headers: Record<string, string>, more = {}) =>
    JSON.stringify(await call('Echo', { file: named }, headers, more)).replaceAll(named, '')
  const none = await whole(made, ann)
  expect(none).toMatch(UNKNOWN)
  for (const named of ['artifact:', 'artifact:../../x', `artifact:${key}`]) expect(await whole(named, ann)).toBe(none)
  expect(await whole(handle, bob)).toBe(none)
  expect(await whole(handle, ADMIN)).toBe(none)
  expect(await whole(handle, ann)).toBe(none)
  expect(await whole(handle, ann, { context: { user_id: 'u2' } })).toBe(none)
  expect(await whole(handle, ann, { context: { user_id: 'u1' } })).toContain('"success":true')

  const missing = await (await fetch(new URL(`/artifacts/${'A'.repeat(22)}`, server.url), { headers: bob })).text()
  for (const method of ['GET', 'DELETE']) {
    const answer = await fetch(new URL(path, server.url), { method, headers: bob })
    expect([answer.status, await answer.text()]).toEqual([404, missing])
  }
  expect((await fetch(new URL(path, server.url))).status).toBe(401)

  await bucket.put(key, 'old', { customMetadata: { expires: String(Math.floor(Date.now() / 1000) - 1) } })
  expect(await whole(handle, ann, { context: { user_id: 'u1' } })).toBe(none)
  expect((await fetch(new URL(path, server.url), { headers: { ...ann, 'x-user-id': 'u1' } })).status).toBe(404)
})

it("a file of another caller cannot be reached through a handle in a tool's text", async () => {
  const { handle } = await upload(bytesOf(10))
  const said = await call('Echo', { text: handle }, bob)
  expect(said.value).toEqual({ text: handle })
})

it('a file cannot be uploaded for a user that the key may not act for', async () => {
  const one = await keyFor('one', ['u1'])
  expect((await send('x', { ...one, 'x-user-id': 'u2' })).status).toBe(403)
  const { handle } = await upload(bytesOf(3), one)
  expect((await call('Echo', { file: handle }, one)).success).toBe(true)
})

it('an upload is refused if it is too large, of unknown length, or without a credential', async () => {
  const large = await raw(server.url, {
    method: 'POST',
    path: '/artifacts',
    headers: ann,
    body: new Uint8Array(MAX_UPLOAD_BYTES + 1),
  })
  expect(large.status).toBe(413)
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(new Uint8Array(1_000))
      controller.close()
    },
  })
  // Fetch wants it for streams, and types do not have it
  const init = { method: 'POST', body: endless, headers: ann, duplex: 'half' }
  const chunked = await fetch(new URL('/artifacts', server.url), init)
  expect(chunked.status).toBe(400)
  expect(await chunked.text()).toContain('Content-Length')
  expect((await send('x', {})).status).toBe(401)
  expect((await fetch(new URL('/artifacts', server.url), { headers: ann })).status).toBe(405)
})

it.each(['../x', 'a/b', 'a\\b', '..', ' ', '%00', 'a%0Ab', 'a%E2%80%AEgnp.exe', 'x'.repeat(256)])(
  'an upload is refused with the file name %j',
  async (name) => expect((await send('x', ann, `?filename=${name}`)).status).toBe(400),
)

it('an upload with an invalid media type is stored as plain bytes', async () => {
  for (const type of ['text/html\u00ff', 'nonsense', '"><script>', 'a/b\t; x']) {
    const answer = await fetch(new URL('/artifacts', server.url), {
      method: 'POST',
      body: new Uint8Array(1),
      headers: { ...ann, 'content-type': type },
    })
    expect(answer.status).toBe(201)
    expect(((await answer.json()) as { content_type: string }).content_type).toMatch(
      /^(?:text\/html|a\/b|application\/octet-stream)$/,
    )
  }
})

it("an upload cannot exceed the maximum text length of the tool's schema", async () => {
  const { handle } = await upload(bytesOf(30))
  expect((await call('Echo', { short: handle })).parameter_errors.short).toMatch(/at most 20 characters/)
})

it('an upload is refused beyond the quota of its principal', async () => {
  const carl = await keyFor('carl')
  const bucket = await server.miniflare.getR2Bucket('ARTIFACTS')
  const { id } = await upload(bytesOf(1), { ...carl, 'x-user-id': 'a' })
  const { objects } = await bucket.list({ prefix: 'upload/' })
  const key = objects.find((each) => each.key.endsWith(id))?.key ?? ''
  const expires = String(Math.floor(Date.now() / 1000) + 1_000)
  for (let count = 1; count < 200; count++) await bucket.put(`${key}${count}`, 'x', { customMetadata: { expires } })
  const full = await send('x', { ...carl, 'x-user-id': 'b' })
  expect([full.status, await full.text()]).toEqual([409, expect.stringContaining('more than 200 files at once')])
  expect((await send('x', ann)).status).toBe(201)
})

/** An upload that lacks its last byte. */
function openUpload({ authorization = '' }: Record<string, string>): { end(): void } {
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  socket.write(
    `POST /artifacts HTTP/1.1\r\nHost: switchboard\r\nAuthorization: ${authorization}\r\nContent-Length: ${MAX_UPLOAD_BYTES}\r\n\r\n`,
  )
  socket.write(Buffer.alloc(MAX_UPLOAD_BYTES - 1))
  return { end: () => void socket.destroy() }
}

it('uploads of one principal: a fourth large one at once gets 429, and those of others are stored', async () => {
  const large = Buffer.alloc(9_000_000)
  const uploads = [1, 2, 3].map(() => openUpload(ann))
  try {
    let refused = await send(large)
    // Until all three are under way
    while (refused.status === 201) refused = await send(large)
    expect({ status: refused.status, wait: refused.headers.get('retry-after') }).toEqual({ status: 429, wait: '5' })
    expect((await send(large, bob)).status).toBe(201)
  } finally {
    for (const upload of uploads) upload.end()
  }
  await expect.poll(async () => (await send(large)).status, { timeout: 60_000 }).toBe(201)
})
