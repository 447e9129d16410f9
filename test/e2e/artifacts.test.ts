import { artifactKey } from '../../src/storage/keys.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Upstream, startUpstream } from '../upstream.ts'
import { oxpSchemas } from './oxp-response.ts'
import { type Server, startServer } from './server.ts'
import { definition } from './definition.ts'

const ROWS = Array.from({ length: 6_000 }, (_, index) => ({ index, text: `ü ${'x'.repeat(60)}` }))
/** The bound of every server here, so that few rows are too many. */
const INLINE_BYTES = '262144'
const PICTURE = Buffer.alloc(400_000, 7)
const schemas = oxpSchemas()

let upstream: Upstream
let server: Server
beforeAll(async () => {
  upstream = await startUpstream(({ url }, response) => {
    if (url === '/html') response.writeHead(200, { 'content-type': 'text/html' }).end(HOSTILE)
    else if (url === '/small') response.writeHead(200, { 'content-type': 'image/png' }).end('small')
    else response.writeHead(200, { 'content-type': 'image/png' }).end(PICTURE)
  })
  server = await startServer({ vars: { ALLOW_HTTP_HOSTS: upstream.host, INLINE_BYTES } })
})
afterAll(() => Promise.all([server?.stop(), upstream?.close()]))

const HOSTILE = `<script>fetch('/keys')</script>${'<p>'.repeat(100_000)}`
const giving = (code: string) => ({ kind: 'code', module: `export default () => (${code})` })
const rows = giving("Array.from({ length: 6_000 }, (_, index) => ({ index, text: `ü ${'x'.repeat(60)}` }))")
const from = (path: string, response = {}) => ({
  kind: 'http',
  method: 'GET',
  url: `${upstream.origin}${path}`,
  response,
})

let count = 0
/** Publishes a tool in OXP, and gives its name in the toolkit `Large`. */
async function publish(implementation: object, output_schema: object | null = {}, on = server): Promise<string> {
  const tool = `T${++count}`
  const { status, body } = await on.json('POST', '/tools', {
    definition: definition(`Large.${tool}@1.0.0`, { output_schema }),
    implementation,
  })
  expect(status, JSON.stringify(body)).toBe(201)
  return tool
}

/** Publishes a tool that declares artifacts, and gives its name in the toolkit `Large`. */
async function publishArtifact(name: string, implementation: object, on = server): Promise<string> {
  const definition = {
    name,
    fully_qualified_name: `Large.${name}@1.0.0`,
    description: 'Gives an artifact',
    toolkit: { name: 'Large', version: '1.0.0' },
    input: { parameters: [] },
    output: { available_modes: ['artifact', 'error'] },
  }
  const { status, body } = await on.json('POST', '/tools', { definition, implementation })
  expect(status, JSON.stringify(body)).toBe(201)
  return name
}

/** A module's value: an artifact whose URL holds a page, in what is to be Base64. */
const inUrl = (base64: string) =>
  `{ artifact: { url: 'data:text/html;base64,' + ${base64}, content_type: 'text/html', size: 1, meta: { description: 'A page' } } }`

const oxp = async (tool: string, on = server) =>
  (await on.json('POST', '/tools/call', { tool_id: `Large.${tool}`, input: {} })).body
const rfc = async (tool: string, on = server) =>
  (await on.json('POST', '/worker/tools/invoke', { tool: { name: tool, toolkit: 'Large' } })).body
const machineContext = async (tool: string, on = server) =>
  (
    await on.json('POST', '/machine-context/execute', {
      header: { version: '1.0', messageId: crypto.randomUUID(), messageType: 'request' },
      payload: { tool: { id: 'Large', capability: tool } },
    })
  ).body
const plugin = async (tool: string, on = server) =>
  (await on.json('POST', '/plugin/call', { params: { name: `Large_${tool}` } })).body
const mcp = async (tool: string, on = server, version = '2025-11-25') =>
  (
    await on.json(
      'POST',
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: `Large_${tool}` } },
      { 'accept': 'application/json, text/event-stream', 'mcp-protocol-version': version },
    )
  ).body.result

const ARTIFACT = {
  url: expect.stringMatching(/\/artifacts\/[\w-]{32}\?expires=\d+&signature=[\w-]{43}$/),
  content_type: 'application/json',
  size: Buffer.byteLength(JSON.stringify(ROWS)),
  meta: { description: expect.stringMatching(/^The output of Large\.T\d+@1\.0\.0, until 20/) },
}
const linkIn = (answer: unknown) => {
  const [url = ''] = /http:[^"\s\\\]]+\/artifacts\/[^"\s\\\]]+/.exec(JSON.stringify(answer)) ?? []
  return new URL(url.replace(/:$/, ''))
}
const readJson = async (url: URL) => JSON.parse(await (await fetch(url)).text())

describe('a value too large for a response, whose schema allows a link', () => {
  let tool: string
  beforeAll(async () => void (tool = await publish(rows)))

  it('a value too large for a response, whose schema allows a link, is an artifact over the Open Tool Calling RFC', async () => {
    const { success, output } = await rfc(tool)
    expect(success).toBe(true)
    expect(output).toEqual({ artifact: ARTIFACT })
    expect(await readJson(linkIn(output))).toEqual(ROWS)
  })

  it('a value too large for a response, whose schema allows a link, is a value with a link over OXP', async () => {
    const body = await oxp(tool)
    expect(body.result).toMatchObject({ success: true, value: { artifact: ARTIFACT } })
    if (schemas) expect(schemas.callResponse(body.result)).toEqual([])
    expect(await readJson(linkIn(body))).toEqual(ROWS)
  })

  it('a value too large for a response, whose schema allows a link, is a result with a link over the Machine Context Protocol', async () => {
    const { payload, metadata } = await machineContext(tool)
    expect(payload.execution).toMatchObject({ status: 'success', result: { artifact: ARTIFACT } })
    expect(metadata).toEqual({ artifact: ARTIFACT })
    expect(await readJson(linkIn(payload))).toEqual(ROWS)
  })

  it('a value too large for a response, whose schema allows a link, is a text with the link over the plugin schema', async () => {
    const { content, isError } = await plugin(tool)
    expect(isError).toBeUndefined()
    expect(content).toEqual([{ type: 'text', text: expect.stringContaining('application/json') }])
    expect(await readJson(linkIn(content))).toEqual(ROWS)
  })

  it.each(['2024-11-05', '2025-11-25', '2026-07-28'])(
    'a value too large for a response, whose schema allows a link, is a resource link over MCP %s',
    async (version) => {
      const headers = { 'mcp-method': 'tools/call', 'mcp-name': `Large_${tool}`, 'mcp-protocol-version': version }
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': version,
        'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      }
      const params = { name: `Large_${tool}`, ...(version > '2026' ? { _meta } : {}) }
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
      const { body } = await server.json('POST', '/mcp', message, {
        accept: 'application/json, text/event-stream',
        ...headers,
      })
      const { content, isError } = body.result
      expect(isError).toBeUndefined()
      expect(content).toMatchObject([
        { type: 'text', text: expect.stringContaining('/artifacts/') },
        { type: 'resource_link', uri: ARTIFACT.url, mimeType: 'application/json', size: ARTIFACT.size },
      ])
      expect(await readJson(new URL(content[1].uri))).toEqual(ROWS)
    },
  )
})

describe('a value too large for a response, whose schema allows no link', () => {
  let tool: string
  beforeAll(async () => void (tool = await publish(rows, { type: 'array', items: { type: 'object' } })))

  it('a value too large for a response, whose schema allows no link, is linked outside the value, or is an error', async () => {
    const { result, artifact } = await oxp(tool)
    expect(artifact).toEqual(ARTIFACT)
    expect(Object.keys(result)).toEqual(['call_id', 'success', 'duration'])
    if (schemas) expect(schemas.callResponse(result)).toEqual([])
    const bare = await server.json('POST', '/tools/call', { tool_id: `Large.${tool}` }, { 'oxp-version': '1.0' })
    expect(bare.body).toMatchObject({ success: false, error: { artifact: ARTIFACT } })
    if (schemas) expect(schemas.callResponse(bare.body)).toEqual([])
    const { payload, metadata } = await machineContext(tool)
    expect(payload.execution).toEqual({ status: 'success', execution_time_ms: expect.any(Number) })
    expect(metadata).toEqual({ artifact: ARTIFACT })
    // Clients refuse a result that has a schema and no structured content, unless it is an error
    const answer = await mcp(tool)
    expect(answer).toMatchObject({ isError: true, content: [{ type: 'text' }, { type: 'resource_link' }] })
    expect((await rfc(tool)).output).toEqual({ artifact: ARTIFACT })
    expect((await plugin(tool)).isError).toBeUndefined()
    for (const each of [artifact, metadata, bare.body, answer]) expect(await readJson(linkIn(each))).toEqual(ROWS)
  })

  it('a value too large for a response, whose schema allows no link, is complete if the call allows its size', async () => {
    const input = { tool_id: `Large.${tool}`, input: {}, context: { inline_bytes: 1_000_000 } }
    expect((await server.json('POST', '/tools/call', input)).body.result.value).toEqual(ROWS)
    const _meta = { 'dev.switchboard/context': { inline_bytes: 1_000_000 } }
    const params = { name: `Large_${tool}`, _meta }
    const { body } = await server.json('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    expect(JSON.parse(body.result.content[0].text)).toEqual(ROWS)
  })

  it.each([0, 4_194_305, '1', 1.5])(
    'a call that sets inline_bytes to %j is refused, and the tool does not run',
    async (inline_bytes) => {
      const { status, body } = await server.json('POST', '/tools/call', {
        tool_id: `Large.${tool}`,
        context: { inline_bytes },
      })
      expect(status).toBe(400)
      expect(body.message).toContain("'context.inline_bytes': Must be an integer from 1 to 4194304")
    },
  )

  it('a value too large for a response is not stored if its schema does not allow it', async () => {
    const wrong = await publish(rows, { type: 'array', items: { type: 'string' } })
    const { result } = await oxp(wrong)
    expect(result).toMatchObject({ success: false, error: { message: expect.stringContaining('output schema') } })
    expect(JSON.stringify(result)).not.toContain('/artifacts/')
  })
})

it('a large file is an artifact of its own media type, in each dialect', async () => {
  for (const tool of [
    await publish(from('/picture')),
    await publish(from('/picture', { type: 'binary' }), { type: 'object' }),
  ]) {
    const artifact = { url: ARTIFACT.url, content_type: 'image/png', size: PICTURE.length, meta: expect.anything() }
    expect((await rfc(tool)).output).toEqual({ artifact })
    expect((await oxp(tool)).result).toMatchObject({ success: true, value: { artifact } })
    const { content } = await mcp(tool)
    expect(content.at(-1)).toMatchObject({ type: 'resource_link', mimeType: 'image/png', size: PICTURE.length })
    const answer = await fetch(content.at(-1).uri)
    expect(Buffer.from(await answer.arrayBuffer()).equals(PICTURE)).toBe(true)
    expect(JSON.stringify(await plugin(tool)).length).toBeLessThan(1_000)
  }
})

it('a small file stays in the content that a model sees', async () => {
  const tool = await publish(from('/small'))
  const block = { type: 'image', mimeType: 'image/png', data: btoa('small') }
  expect((await mcp(tool)).content).toEqual([block])
  expect((await oxp(tool)).result.value).toEqual({ content: [block] })
})

it('over the RFC, a small file is a link, whatever modes its tool declares, and so is any value of an artifacts-only tool', async () => {
  const picture = { content_type: 'image/png', size: 5 }
  for (const [tool, artifact] of [
    [await publish(from('/small')), picture],
    [await publishArtifact('Small', from('/small')), picture],
    [await publishArtifact('Seven', giving('({ seven: 7 })')), { content_type: 'application/json', size: 11 }],
  ] as const) {
    const { output } = await rfc(tool)
    expect(output).toMatchObject({ artifact: { url: ARTIFACT.url, ...artifact } })
    expect((await (await fetch(output.artifact.url)).arrayBuffer()).byteLength).toBe(artifact.size)
  }
})

it('bytes that are not Base64 are refused with the reason', async () => {
  const tool = await publishArtifact('Odd', giving(inUrl("'!'.repeat(300_000)")))
  expect((await rfc(tool)).output.error).toMatchObject({ developer_message: expect.stringContaining('no Base64') })
})

describe('a link to an artifact', () => {
  let url: URL
  beforeAll(async () => void (url = linkIn(await oxp(await publish(rows)))))

  const get = (change: (url: URL) => void = () => undefined, init: RequestInit = {}) => {
    const changed = new URL(url)
    change(changed)
    return fetch(changed, init)
  }
  const whole = JSON.stringify(ROWS)

  it('a link to an artifact returns it whole, in ranges, or as 304 if the client has it', async () => {
    const first = await get()
    expect(first.status).toBe(200)
    expect(first.headers.get('content-type')).toBe('application/json')
    expect(first.headers.get('content-length')).toBe(String(Buffer.byteLength(whole)))
    expect(await first.text()).toBe(whole)
    const etag = first.headers.get('etag') ?? ''

    const part = await get(undefined, { headers: { range: 'bytes=10-19' } })
    expect(part.status).toBe(206)
    expect(part.headers.get('content-range')).toBe(`bytes 10-19/${Buffer.byteLength(whole)}`)
    expect(await part.text()).toBe(Buffer.from(whole).subarray(10, 20).toString())
    const last = await get(undefined, { headers: { 'range': 'bytes=-3', 'if-range': etag } })
    expect([last.status, await last.text()]).toEqual([206, whole.slice(-3)])
    const stale = await get(undefined, { headers: { 'range': 'bytes=-3', 'if-range': '"other"' } })
    expect([stale.status, (await stale.text()).length]).toEqual([200, whole.length])
    const beyond = await get(undefined, { headers: { range: 'bytes=99999999-' } })
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${Buffer.byteLength(whole)}`])
    expect((await get(undefined, { headers: { 'if-none-match': etag } })).status).toBe(304)
    const head = await get(undefined, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(whole)))
    expect((await get(undefined, { method: 'POST' })).status).toBe(405)
  })

  it('a link to an artifact that was changed in any way is refused with the reason', async () => {
    const { pathname } = linkIn(await oxp(await publish(rows)))
    const changes: ((url: URL) => void)[] = [
      (changed) => {
        const signature = changed.searchParams.get('signature') ?? ''
        changed.searchParams.set('signature', `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`)
      },
      (changed) => changed.searchParams.set('expires', '99999999999'),
      (changed) => changed.searchParams.delete('signature'),
      (changed) => void (changed.pathname = pathname),
      (changed) => void (changed.pathname = '/artifacts/x'),
    ]
    for (const change of changes) {
      const answer = await get(change)
      expect(answer.status).toBe(403)
      expect(await answer.json()).toMatchObject({ message: expect.stringContaining('signature') })
    }
    expect((await get((changed) => void (changed.pathname = '/artifacts/%FF'))).status).toBe(400)
    // Without a link it is an address of files that were sent, of which it is none
    const bare = await get((changed) => void (changed.search = ''))
    expect([bare.status, await bare.json()]).toMatchObject([
      404,
      { message: 'The file does not exist, is not yours, or has expired' },
    ])
  })

  it('a link to an artifact that was deleted is not found', async () => {
    const gone = linkIn(await oxp(await publish(rows)))
    const bucket = await server.miniflare.getR2Bucket('ARTIFACTS')
    await bucket.delete(artifactKey(gone.pathname.split('/')[2] ?? ''))
    const answer = await fetch(gone)
    expect(answer.status).toBe(404)
    expect(await answer.json()).toMatchObject({ message: expect.stringContaining('artifact does not exist') })
  })

  it('a link to an artifact needs no credential, and works after a restart', async () => {
    const first = await startServer({ vars: { ACCESS: 'open', INLINE_BYTES } })
    const link = linkIn(await oxp(await publish(rows, {}, first), first))
    await first.stop({ keep: true })
    const again = await startServer({ vars: { ACCESS: 'keys', INLINE_BYTES }, persistTo: first.persistTo })
    try {
      const moved = new URL(`${link.pathname}${link.search}`, again.url)
      expect((await fetch(moved)).status).toBe(200)
      expect((await fetch(new URL('/tools', again.url))).status).toBe(401)
      moved.searchParams.delete('signature')
      expect((await fetch(moved)).status).toBe(403)
    } finally {
      await again.stop()
    }
  })

  it('a link to hostile HTML is downloaded, and never shown or run', async () => {
    const tool = await publish(from('/html'), { type: 'string' })
    const answer = await fetch(linkIn(await oxp(tool)))
    expect(await answer.text()).toBe(HOSTILE)
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    const content = `<script>alert(1)</script>${'x'.repeat(300_000)}`
    const held = giving(inUrl("btoa('<script>alert(1)</script>' + 'x'.repeat(300_000))"))
    const { output } = await rfc(await publishArtifact('Page', held))
    const page = await fetch(output.artifact.url)
    expect(await page.text()).toBe(content)
    expect(Object.fromEntries(page.headers)).toMatchObject({
      'content-type': 'text/html',
      'content-disposition': expect.stringMatching(/^attachment; filename="[\w-]{32}\.html"$/),
      'content-security-policy': expect.stringMatching(/^sandbox; default-src 'none'/),
      'x-content-type-options': 'nosniff',
    })
  })
})

it('stored artifacts contain no secret that the tool received', async () => {
  const secret = 'a-secret-of-the-caller-0123456789'
  const echo = await startUpstream(({ headers }, response) => {
    const said = { was: headers['x-key'], more: 'x'.repeat(300_000) }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(said))
  })
  const holder = await startServer({ vars: { ALLOW_HTTP_HOSTS: echo.host, INLINE_BYTES } })
  try {
    const credentials = [{ secret: 'API_KEY', in: 'header', name: 'x-key' }]
    const implementation = { kind: 'http', method: 'GET', url: `${echo.origin}/`, credentials }
    const leak = definition('Large.Leak@1.0.0', { requirements: { secrets: [{ id: 'API_KEY' }] } })
    expect((await holder.json('POST', '/tools', { definition: leak, implementation })).status).toBe(201)
    const context = { secrets: [{ id: 'API_KEY', value: secret }] }
    const { body } = await holder.json('POST', '/tools/call', { tool_id: 'Large.Leak', input: {}, context })
    const text = await (await fetch(linkIn(body))).text()
    expect(text).toContain('[redacted]')
    expect(text).not.toContain(secret)
  } finally {
    await Promise.all([holder.stop(), echo.close()])
  }
})

describe('a deployment without a bucket', () => {
  let bare: Server
  beforeAll(
    async () =>
      void (bare = await startServer({ bucket: false, vars: { ALLOW_HTTP_HOSTS: upstream.host, INLINE_BYTES } })),
  )
  afterAll(() => bare?.stop())

  it('a deployment without a bucket says in each dialect what a large output needs', async () => {
    const tool = await publish(rows, {}, bare)
    const picture = await publish(from('/picture'), {}, bare)
    for (const call of [oxp, rfc, machineContext, plugin, mcp]) {
      for (const each of [tool, picture]) {
        const answer = JSON.stringify(await call(each, bare))
        expect(answer).toContain('262144')
        expect(answer.length).toBeLessThan(2_000)
        expect(answer).toContain('[[r2_buckets]]')
      }
    }
    expect((await fetch(new URL('/artifacts/x?expires=1&signature=x', bare.url))).status).toBe(404)
  })

  it('a deployment without a bucket returns small outputs as usual, and artifacts as data URLs', async () => {
    await publishArtifact('Picture', from('/small'), bare)
    const { output } = await rfc('Picture', bare)
    expect(output).toMatchObject({ artifact: { url: `data:image/png;base64,${btoa('small')}`, size: 5 } })
    expect((await mcp('Picture', bare)).content).toHaveLength(1)
  })
})
