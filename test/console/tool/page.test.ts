import { expect, it } from 'vitest'
import { NO_USER } from '../../../src/core/failure/failure-text.ts'
import { setUp } from '../set-up.ts'

const HOSTILE = '"><script>alert(1)</script>\u202e'
const TOOL = {
  id: 'Evil.Tool@1.0.0',
  name: 'Evil_Tool',
  description: HOSTILE,
  input_schema: {
    type: 'object',
    properties: { [HOSTILE]: { type: 'string', description: HOSTILE, enum: [HOSTILE] }, to: { type: 'string' } },
    required: ['to'],
  },
  output_schema: { type: 'object', properties: { [HOSTILE]: { description: HOSTILE } } },
  // One route answers with the tool as it is described, and with its definition in a format
  document: { [HOSTILE]: HOSTILE },
  losses: [{ path: HOSTILE, reason: HOSTILE }],
}
const READY = { tool: TOOL.id, ready: true, status: { state: 'active' }, problems: [] }
const VERSION = {
  id: TOOL.id,
  version: '1.0.0',
  status: 'active',
  tags: [HOSTILE],
  changes: [{ path: HOSTILE, what: HOSTILE, level: 'major' }],
}

function world(answer: unknown, status = 200) {
  return calledWith(() => Response.json(answer, { status }))
}

function calledWith(answer: () => Response | Promise<Response>) {
  return setUp({
    'GET /tools/Evil.Tool': () => TOOL,
    'GET /tools/Evil.Tool/readiness': () => READY,
    'GET /tools/Evil.Tool/versions': () => ({ items: [VERSION] }),
    'POST /tools/call': answer,
  })
}
const PAGE = '/console/tools/Evil.Tool'
const send = async (answer: unknown, status?: number, fields: Record<string, string> = { 'input/to': 'ann' }) => {
  const page = await world(answer, status).post(PAGE, fields)
  return { status: page.status, text: await page.text() }
}

it.each([
  ['its definition', undefined],
  ['its value', { result: { call_id: 'c', success: true, duration: 1, value: { [HOSTILE]: HOSTILE } } }],
  [
    'its error',
    {
      result: {
        call_id: 'c',
        success: false,
        duration: 1,
        error: {
          message: HOSTILE,
          developer_message: HOSTILE,
          additional_prompt_content: HOSTILE,
          artifact: { url: 'javascript:alert(1)' },
        },
      },
    },
  ],
  [
    'its challenge',
    {
      message: HOSTILE,
      missing_requirements: {
        authorization: [
          { id: HOSTILE, url: 'javascript:alert(1)' },
          { id: HOSTILE, url: 'https://s.test/"><script>' },
        ],
      },
    },
  ],
  [
    'its refusal',
    { message: HOSTILE, developer_message: HOSTILE, parameter_errors: { to: HOSTILE, [HOSTILE]: HOSTILE } },
  ],
])('a hostile tool cannot run anything through %s', async (_, answer) => {
  const page =
    answer === undefined ? await world({}).get(PAGE) : await world(answer).post(PAGE, { 'input/to': HOSTILE })
  const text = await page.text()
  expect(page.status).toBe(200)
  expect(text.match(/<script/g)).toHaveLength(1)
  expect(text).not.toMatch(/\u202e|href="javascript:/)
  expect(text).toContain('\\u202e')
})

it("a tool's page has its icon and title above its name, or only its name", async () => {
  const headed = async (more: object) => {
    const readiness = { 'GET /tools/Evil.Tool/readiness': () => ({ ...READY, ...more }) }
    const text = await (await setUp({ 'GET /tools/Evil.Tool': () => TOOL, ...readiness }).get(PAGE)).text()
    return text.replace(/^[^]*<h1>/, '').replace(/<ul[^]*$/, '')
  }
  expect(await headed({ title: HOSTILE, icon: '/tools/Evil.Tool%401.0.0/icon' })).toBe(
    '<img class="icon" src="/tools/Evil.Tool%401.0.0/icon" alt="" loading="lazy" decoding="async"/>&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;\\u202e</h1><p><code>Evil.Tool</code></p>',
  )
  expect(await headed({})).toBe('Evil.Tool</h1>')
})

it('the definition of a tool has a page for each format, where nothing of it runs, and a link back', async () => {
  const { get, asked } = world({})
  const text = await (await get(`${PAGE}?format=mcp`)).text()
  expect(asked.map(({ request }) => request.url)).toEqual([
    'https://switchboard.test/tools/Evil.Tool?losses=1&format=mcp',
  ])
  expect(text).toContain(`<li><a href="${PAGE}">Evil.Tool</a></li>`)
  expect(text).toContain('Not included in this format (1)')
  expect(text.match(/<script/g)).toHaveLength(1)
  expect(text).not.toContain('\u202e')
  expect((await setUp({}).get(`${PAGE}?format=mcp`)).status).toBe(404)
})

it('the pages of a large definition and of a large output are limited in length', async () => {
  const field = { type: 'string', description: 'x'.repeat(150) }
  const properties = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`field_${index}`, field]))
  const schema = { type: 'object', properties }
  const { get } = setUp({
    'GET /tools/Evil.Tool': () => ({ ...TOOL, output_schema: schema, document: schema }),
    'GET /tools/Evil.Tool/readiness': () => READY,
    'GET /tools/Evil.Tool/versions': () => ({ items: [VERSION] }),
  })
  const page = await (await get(PAGE)).text()
  const definition = await (await get(`${PAGE}?format=mcp`)).text()
  expect(page.length).toBeLessThan(60_000)
  expect(page).toContain('See the definition for all fields.')
  expect(definition.length).toBeLessThan(60_000)
  expect(definition).toContain('Only the beginning is shown.')
})

it('the definition of a tool is below its description, whose first paragraphs are visible', async () => {
  const description = `${'One. '.repeat(80)}\n\nThe rest`
  const { get } = setUp({
    'GET /tools/Evil.Tool': () => ({ ...TOOL, description }),
    'GET /tools/Evil.Tool/readiness': () => READY,
  })
  const text = await (await get(PAGE)).text()
  expect(text).toMatch(/One\. <\/p><\/div><details><summary>More about this tool<\/summary>[^]*<p>The rest<\/p>/)
})

it('the form of a tool asks for the user if the tool depends on it', async () => {
  const asks = async (tool: object, readiness: object = {}) => {
    const { get } = setUp({
      'GET /tools/Evil.Tool': () => ({ ...TOOL, ...tool }),
      'GET /tools/Evil.Tool/readiness': () => ({ ...READY, ...readiness }),
    })
    return (await (await get(PAGE)).text()).includes('name="user_id"')
  }
  expect(await asks({})).toBe(false)
  expect(await asks({ requirements: { secrets: [{ id: 'KEY' }] } })).toBe(false)
  expect(await asks({ requirements: { user_id: true } })).toBe(true)
  expect(await asks({ requirements: { authorization: [{ id: 'google' }] } })).toBe(true)
  expect(await asks({}, { approval: true })).toBe(true)
  expect(await asks({}, { context: ['user_id'] })).toBe(true)
})

it('the form of a tool makes one call, even if it is sent twice', async () => {
  const { post, asked } = world({ result: { call_id: 'c', success: true, duration: 12.4, value: 5 } })
  const fields = { 'input/to': 'ann', 'user_id': 'bob', 'call_id': 'form-1' }
  const text = await (await post(PAGE, fields)).text()
  await post(PAGE, fields)
  await post(PAGE, { ...fields, 'input/to': 'eve' })
  expect(text).toContain('Succeeded')
  const bodies = asked.filter(({ request }) => request.method === 'POST').map(({ body }) => JSON.parse(body).request)
  expect(bodies[0]).toEqual({
    tool_id: TOOL.id,
    call_id: expect.stringMatching(/^console-[\w-]{43}$/),
    input: { to: 'ann' },
    context: { inline_bytes: 262_144, user_id: 'bob' },
  })
  expect(bodies[1].call_id).toBe(bodies[0].call_id)
  expect(bodies[2].call_id).not.toBe(bodies[0].call_id)
  expect(text).toMatch(/name="call_id" value="(?!form-1)/)
})

it('the form of a tool shows the problem of each parameter, and keeps the entered values', async () => {
  const { text } = await send(
    { message: 'Some input parameters are invalid', parameter_errors: { to: 'Is too short' } },
    422,
  )
  expect(text).toContain('Is too short')
  expect(text).toMatch(/id="f-input\/to"[^>]*aria-invalid="true"[^>]*value="ann"/)
  expect(text).toContain('<strong>1 value needs a correction:</strong> <a href="#f-input/to">to</a>')
  expect(text).not.toContain('Some input parameters are invalid')
  const whole = await send({ message: 'Some input parameters are invalid: Is too large', parameter_errors: {} }, 422)
  expect(whole.text).toContain('Is too large')
})

it('the form of a tool focuses the first invalid parameter, and says how many there are', async () => {
  const { text } = await send({ message: 'Wrong', parameter_errors: { to: 'Is too short' } }, 422)
  expect(text).toMatch(/id="f-input\/to"[^>]*autofocus/)
  const { text: json } = await send({}, 200, { whole: '{' })
  expect(json).toMatch(/<textarea name="whole"[^>]*aria-invalid="true"[^>]*autofocus/)
  expect(json).toContain('1 value needs a correction:</strong>  Must be JSON')
})

it('the form of a tool changes to JSON with the entered values, and back, without a call', async () => {
  const { post, asked } = world({})
  const json = await (await post(PAGE, { 'input/to': 'ann', 'user_id': 'bob', 'do': 'edit-json' })).text()
  expect(json).toMatch(
    /<textarea name="whole"[^>]*>\s*\{[^<]*&#34;to&#34;: &#34;ann&#34;|<textarea name="whole"[^>]*>[^<]*ann/,
  )
  expect(json).not.toContain('name="input/to"')
  const fields = await (await post(PAGE, { whole: '{"to": "eve"}', do: 'edit-fields' })).text()
  expect(fields).toMatch(/name="input\/to"[^>]*value="eve"/)
  expect(fields).not.toContain('name="whole"')
  const wrong = await (await post(PAGE, { whole: '{"to"', do: 'edit-fields' })).text()
  expect(wrong).toContain('name="whole"')
  expect(wrong).toContain('Must be JSON')
  expect(asked.filter(({ request }) => request.method === 'POST')).toEqual([])
})

it.each([
  [
    'a parameter that it does not have',
    '{"to": "eve", "cc": "ann"}',
    '<code>cc</code> The form cannot hold &quot;ann&quot;',
  ],
  ['a number for a text', '{"to": 5}', 'id="problem-input/to">The form cannot hold 5, which the JSON had'],
  ['null', '{"to": null}', 'id="problem-input/to">The form cannot hold null'],
  ['no choice', '{"to": "eve", "place": {"color": "blue"}}', '<a href="#f-input/place/color">place › color</a>'],
  [
    'a text for a group',
    '{"to": "eve", "place": "here"}',
    'id="problem-input/place">The form cannot hold &quot;here&quot;',
  ],
])('the form of a tool changes back from JSON with what it can contain, and marks %s', async (_, whole, said) => {
  const place = { type: 'object', properties: { color: { enum: ['red'] } } }
  const properties = { to: { type: 'string' }, place }
  const { post, asked } = setUp({
    'GET /tools/Evil.Tool': () => ({ ...TOOL, input_schema: { type: 'object', properties, required: ['to'] } }),
    'GET /tools/Evil.Tool/readiness': () => READY,
  })
  const text = await (await post(PAGE, { whole, do: 'edit-fields' })).text()
  expect(text).not.toContain('name="whole"')
  expect(text).toContain('1 value needs a correction')
  expect(text).toContain(said)
  if (whole.includes('eve')) expect(text).toMatch(/name="input\/to"[^>]*value="eve"/)
  expect(asked.filter(({ request }) => request.method === 'POST')).toEqual([])
})

it('the page of a tool with a large form is limited in length: groups, then fields, become JSON', async () => {
  const described = { type: 'string', description: 'What it is for. '.repeat(20) }
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`a_rather_long_name_${index}`, described]))
  const show = async (properties: object) => {
    const schema = { type: 'object', properties, required: ['last'] }
    const { get } = setUp({
      'GET /tools/Evil.Tool': () => ({ ...TOOL, input_schema: schema, output_schema: schema }),
      'GET /tools/Evil.Tool/readiness': () => READY,
    })
    const text = await (await get(PAGE)).text()
    expect(new TextEncoder().encode(text).length).toBeLessThan(60_000)
    return text
  }
  const last = { type: 'string' }
  const nested = await show({
    group: { type: 'object', properties: many(100) },
    small: { type: 'object', properties: { a: last } },
    last,
  })
  expect(nested).toContain('<textarea id="f-input/group"')
  expect(nested).toContain('id="f-input/small/a"')
  expect(nested).toContain('<code>group.a_rather_long_name_0</code>')
  const wide = await show({ ...many(300), last })
  expect(wide).toContain('id="f-input/last"')
  expect(wide).not.toContain('id="f-input/a_rather_long_name_80"')
  expect(wide).toContain('Parameters in JSON')
})

it('the form of a tool without a call id, as a script sends it, is canceled when its caller disconnects', async () => {
  const { post, asked } = world({ result: { call_id: 'c', success: true, duration: 1, value: 5 } })
  await post(PAGE, { 'input/to': 'ann' })
  const [body] = asked.filter(({ request }) => request.method === 'POST').map((call) => JSON.parse(call.body).request)
  expect(body).toEqual({ tool_id: TOOL.id, input: { to: 'ann' }, context: { inline_bytes: 262_144 } })
})

it.each([
  [0, {}, 'Anybody with access can call this'],
  [3, {}, 'Callers must sign in or have a key'],
  [9, { approval: true }, 'Callers must be allowed this tool by name'],
])('a tool of security level %i shows who may call it, without the level or a dialect', async (level, more, words) => {
  const { get } = setUp({
    'GET /tools/Evil.Tool': () => TOOL,
    'GET /tools/Evil.Tool/readiness': () => ({ ...READY, ...more, security_level: level }),
    'GET /tools/Evil.Tool/versions': () => ({ items: [{ ...VERSION, dialect: 'openapi' }] }),
  })
  const text = await (await get(PAGE)).text()
  const status = text.replace(/^[^]*<ul class="chips" aria-label="Status">/, '').replace(/<\/ul>[^]*$/, '')
  expect(status).toContain(`<li class="chip" title="Security level ${level}">${words}</li>`)
  expect(status.includes('A person approves each call')).toBe('approval' in more)
  expect(status.replaceAll(/<[^>]*>/g, ' ')).not.toMatch(/level|OpenAPI/)
  expect(text).toContain('<p>Published as OpenAPI.</p>')
})

it('the form of a tool links to what a person must do first, and calls nothing if it contains invalid JSON', async () => {
  const url = 'https://s.test/authorizations/x/start'
  const needing = (challenge: object) =>
    send({ message: 'Needs more', missing_requirements: { authorization: [{ id: 'google', url, ...challenge }] } }, 400)
  const { text } = await needing({ check_url: 'https://s.test/authorizations/x' })
  expect(text).toMatch(
    /<li data-check="https:\/\/s\.test\/authorizations\/x">\s*<a href="[^"]*\/x\/start" target="_blank" rel="noopener noreferrer">Connect google<\/a>/,
  )
  expect(text).toContain('<li data-waiting="true">Come back here and press Call tool.')
  // There is nothing to wait for where nobody can tell when it is done
  expect((await needing({})).text).toContain('<li>Come back here and press Call tool.')
  const { post, asked } = world({})
  expect(await (await post(PAGE, { whole: '{' })).text()).toContain('Must be JSON')
  expect(asked.filter(({ request }) => request.method === 'POST')).toEqual([])
})

it('the form of a tool shows no link if no user was given', async () => {
  const authorization = [{ id: 'google', url: 'https://s.test/authorizations/x/start' }]
  const { text } = await send({ message: 'Needs more', missing_requirements: { authorization, user_id: true } }, 400)
  expect(text).toContain('Needs more')
  expect(text).not.toContain('/x/start')
})

it('the form of a tool says that a provider is not set up, and shows no link to it', async () => {
  const url = 'https://s.test/authorizations/x/start'
  const why = "'google' is not set up on this Switchboard"
  const authorization = [{ id: 'google', url, check_url: 'https://s.test/authorizations/x' }]
  const missing_requirements = { authorization: [{ id: 'google', scopes: [], status: 'pending', needs_setup: true }] }
  const { post } = setUp({
    'GET /tools/Evil.Tool': () => ({ ...TOOL, requirements: { authorization: [{ id: 'google' }] } }),
    'GET /tools/Evil.Tool/readiness': () => ({ ...READY, ready: false, missing_requirements }),
    'GET /tools/Evil.Tool/versions': () => ({ items: [VERSION] }),
    'POST /tools/call': () =>
      Response.json(
        { message: 'Needs more', developer_message: why, missing_requirements: { authorization } },
        { status: 400 },
      ),
  })
  const text = await (await post(PAGE, { 'input/to': 'ann' })).text()
  expect(text).toContain('<strong class="warn">not set up</strong> <a href="/console/providers#give">Add provider</a>')
  expect(text).toContain('is not set up on this Switchboard.')
  expect(text).not.toContain('/x/start')
})

it('the form of a tool asks for the user with its own field', async () => {
  const problem = { type: 'requirements-missing', message: 'It needs more', developer_message: NO_USER }
  const missing_requirements = { user_id: true }
  const { get } = setUp({
    'GET /tools/Evil.Tool': () => ({ ...TOOL, requirements: { user_id: true } }),
    'GET /tools/Evil.Tool/readiness': () => ({ ...READY, ready: false, problems: [problem], missing_requirements }),
    'GET /tools/Evil.Tool/versions': () => ({ items: [VERSION] }),
  })
  const text = await (await get(PAGE)).text()
  expect(text).toContain('<p class="note">Fill in User below</p>')
  expect(text).not.toContain('X-User-Id')
})

it('the form of a tool shows whether it is ready for the named user', async () => {
  const { post, asked } = world({ result: { call_id: 'c', success: true, duration: 1, value: 1 } })
  const text = await (await post(PAGE, { 'input/to': 'ann', 'user_id': 'bob' })).text()
  const users = asked.map(({ request }) => new URL(request.url).searchParams.get('user_id')).filter(Boolean)
  expect(users).toEqual(['bob'])
  expect(text).toContain('<li class="chip ok">Ready</li>')
  const long = world({})
  await long.post(PAGE, { 'input/to': 'ann', 'user_id': 'b'.repeat(257) })
  expect(long.asked.some(({ request }) => request.url.includes('user_id'))).toBe(false)
})

it("the form of a tool shows a result's pictures and links, except unsafe pictures and unencrypted links", async () => {
  const value = {
    content: [
      { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' },
      { type: 'image', mimeType: 'image/svg+xml', data: 'PHN2Zz4=' },
      { type: 'image', mimeType: 'image/png', data: '"><script>' },
      { type: 'resource_link', name: 'a', uri: 'https://s.test/a.pdf' },
      { type: 'resource_link', name: 'b', uri: 'http://s.test/b.pdf' },
      { type: 'resource_link', name: 'c', uri: 'javascript:alert(1)' },
    ],
    own: 'https://switchboard.test/artifacts/x',
    long: 'x'.repeat(5_000),
  }
  const { post, get } = world({ result: { call_id: 'c', success: true, duration: 1, value } })
  const page = await post(PAGE, { 'input/to': 'ann' })
  const text = await page.text()
  expect([...text.matchAll(/<img class="picture" src="([^"]*)"/g)].map(([, src]) => src)).toEqual([
    'data:image/png;base64,iVBORw0KGgo=',
  ])
  const opened = [...text.matchAll(/<a href="([^"]*)" target="_blank" rel="noopener noreferrer nofollow"/g)]
  expect(opened.map(([, href]) => href)).toEqual(['https://s.test/a.pdf', 'https://switchboard.test/artifacts/x'])
  expect(text).toMatch(/<details><summary>JSON, 6 kB<\/summary><pre>/)
  expect(page.headers.get('content-security-policy')).toContain("img-src 'self' data:;")
  expect((await get(PAGE)).headers.get('content-security-policy')).toContain("img-src 'self' data:;")
})

it('a result is a tree collapsed below its first level, and complete as JSON to copy and download', async () => {
  const value = {
    text: 'one\ntwo',
    none: null,
    empty: [],
    few: { a: 1, b: { c: true } },
    many: Array.from({ length: 400 }, (_, index) => ({ id: index })),
  }
  const { text } = await send({ result: { call_id: 'c', success: true, duration: 1, value } })
  const result = text.replace(/^[^]*<div class="copyable" data-file="result.json">/, '')
  for (const part of [
    '<li><strong>text</strong> <span class="said">one\ntwo</span></li>',
    '<li><strong>none</strong> <code>null</code></li>',
    '<li><strong>empty</strong> <code>[]</code></li>',
    '<details open=""><summary><strong>few</strong> <span class="note">{&quot;a&quot;:1,',
    '<details><summary><strong>b</strong>',
    '<details><summary><strong>many</strong>',
    'more in the JSON below',
  ])
    expect(result).toContain(part)
  expect(result).toMatch(/&quot;id&quot;: 399/)
  expect(text.length).toBeLessThan(120_000)
})

it('a result that nests deeply, or is one long string, is still shown', async () => {
  let value: unknown = 'deep'
  for (let level = 0; level < 100; level++) value = [value]
  const { text } = await send({ result: { call_id: 'c', success: true, duration: 1, value } })
  expect(text).toContain('<code>[[[[')
  const long = await send({ result: { call_id: 'c', success: true, duration: 1, value: { long: 'x'.repeat(9_000) } } })
  expect(long.text).toContain(`<span class="said">${'x'.repeat(2_000)}…</span>`)
})

it('the form of a tool is not shown to visitors who may only read', async () => {
  const reader = { id: 'key:1', kind: 'key', scopes: ['tools:read'], tools: ['*'], users: [] } as const
  const { get } = setUp(
    {
      'GET /tools/Evil.Tool': () => TOOL,
      'GET /tools/Evil.Tool/readiness': () => READY,
    },
    reader,
  )
  const text = await (await get(PAGE)).text()
  expect(text).toContain('You can view this tool, but not call it')
  expect(text).not.toContain('name="call_id"')
})

const RESULT = { result: { call_id: 'c', success: true, duration: 1, value: 'All is done' } }
const event = (name: string, data: unknown) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`

/** The page of a call whose events a test sends, and what the page sends next. */
async function calling() {
  const gone = Promise.withResolvers<void>()
  let tell: (text: string) => void = () => undefined
  let end: () => void = () => undefined
  const events = new ReadableStream<Uint8Array>({
    start(controller) {
      tell = (text) => controller.enqueue(new TextEncoder().encode(text))
      end = () => controller.close()
    },
    cancel: () => gone.resolve(),
  })
  const { post, asked } = calledWith(() => new Response(events, { headers: { 'content-type': 'text/event-stream' } }))
  const page = await post(PAGE, { 'input/to': 'ann' })
  const reader = page.body?.pipeThrough(new TextDecoderStream()).getReader()
  const next = async () => (await reader?.read())?.value ?? ''
  async function rest() {
    let text = ''
    for (let part = await next(); part !== ''; part = await next()) text += part
    return text
  }
  return { page, asked, tell, end, next, rest, leave: () => reader?.cancel(), gone: gone.promise }
}

it('a call with progress shows it while the call runs, and then the result', async () => {
  const { page, asked, tell, next, rest } = await calling()
  expect(page.status).toBe(200)
  const start = await next()
  expect(start).toMatch(
    /Result<\/h2><div class="live" role="status"><p><progress aria-label="Progress"><\/progress> Calling…<\/p>$/,
  )
  tell(event('progress', { progress: 1, total: 2, message: HOSTILE }))
  const line = await next()
  expect(line).toContain('<progress aria-label="Progress" value="1" max="2"></progress><br/>1 of 2: ')
  expect(line).toContain('&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;\\u202e')
  tell(event('progress', { progress: 7, message: '<!-- live -->' }))
  expect(await next()).toContain('<progress aria-label="Progress"></progress><br/>7: &lt;!-- live --&gt;')
  // The server learns only by writing whether somebody still reads
  tell(':\n\n')
  expect(await next()).toBe(' ')
  tell(event('progress', { progress: -1, total: 2 }))
  expect(await next()).toContain('value="0" max="2"></progress><br/>-1 of 2')
  tell(event('result', RESULT))
  const end = await rest()
  expect(end).toMatch(
    /^<\/div><div class="notice" role="status"><p><strong class="ok">Succeeded<[^]*All is done[^]*<\/html>$/,
  )
  // Of the page as it is, there is each part once
  const whole = start + end
  for (const part of ['<script', '<h1', '<footer', '</main>', '</html>', 'id="answer"', 'name="call_id"'])
    expect(whole.split(part), part).toHaveLength(2)
  const call = asked.find(({ request }) => request.method === 'POST')?.request
  expect(call?.headers.get('accept')).toBe('application/json, text/event-stream')
  expect(end).toContain('-N -H &#39;Accept: application/json, text/event-stream&#39; \\\n  -H &#39;Content-Type')
})

it.each([
  [
    'an error of the tool',
    [event('result', { result: { success: false, error: { message: 'No paper' } } })],
    'No paper',
  ],
  [
    'what somebody must do',
    [
      event('status', { status: 400 }),
      event('result', {
        message: 'Needs more',
        missing_requirements: { authorization: [{ id: 'google', url: 'https://s.test/start' }] },
      }),
    ],
    'Connect google',
  ],
  ['a failure of ours', [event('status', { status: 500 }), event('result', { message: 'Our fault' })], 'Our fault'],
  ['nothing, since it broke off', [], 'The answer ended early'],
])('a call with progress ends with %s', async (_, last, said) => {
  const { tell, end, rest } = await calling()
  for (const each of [event('progress', { progress: 1 }), ...last]) tell(each)
  end()
  const text = await rest()
  expect(text).toContain(said)
  expect(text).toMatch(/<\/html>$/)
})

it('a call that takes more than a second is shown as running, and then with its result', async () => {
  const { promise, resolve } = Promise.withResolvers<Response>()
  const page = await calledWith(() => promise).post(PAGE, { 'input/to': 'ann' })
  const reader = page.body?.pipeThrough(new TextDecoderStream()).getReader()
  expect((await reader?.read())?.value).toMatch(/Calling…<\/p>$/)
  expect((await reader?.read())?.value).toBe(' ')
  resolve(Response.json(RESULT))
  let text = ''
  for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) text += part.value
  expect(text).toMatch(/^ *<\/div><div class="notice" role="status">[^]*All is done[^]*<\/html>$/)
})

it('a call with progress only ends its page when its reader leaves', async () => {
  const { tell, next, leave, gone } = await calling()
  await next()
  const leaving = leave()
  tell(event('progress', { progress: 1 }))
  await leaving
  // What was told is read no further: what the call makes of that is the route's
  await gone
})

it('the form is filled with the input of an earlier call, without redacted values, and as JSON if it has no matching field', async () => {
  const earlier = (more: object) => ({
    'GET /tools/Evil.Tool': () => TOOL,
    'GET /tools/Evil.Tool/readiness': () => READY,
    'GET /tools/Evil.Tool/versions': () => ({ items: [VERSION] }),
    'GET /calls/c-1': () => ({ tool: TOOL.id, content: { input: { to: 'ann' } }, ...more }),
  })
  const shown = async (more: object) =>
    (await setUp(earlier(more)).get(`${PAGE}?call=c-1&at=2030-01-02T11:02:03Z`)).text()
  expect(await shown({})).toMatch(/name="input\/to"[^>]*value="ann"/)
  const redacted = await shown({ content: { input: { to: '[redacted]', [HOSTILE]: HOSTILE } } })
  expect(redacted).not.toContain('[redacted]')
  expect(await shown({ content: { input: { to: 'ann', more: 1 } } })).toMatch(
    /<textarea[^>]*name="whole"[^>]*>\s*\{[^<]*to/,
  )
  for (const none of [{ tool: 'Evil.Other@1.0.0' }, { content: undefined }, { content: { too_large: ['input'] } }])
    expect(await shown(none)).not.toContain('value="ann"')
  expect(await (await setUp(earlier({})).get(`${PAGE}?call=c-2`)).text()).not.toContain('value="ann"')
})
