import { describe, expect, it } from 'vitest'
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
  return setUp({
    'GET /tools/Evil.Tool': () => TOOL,
    'GET /tools/Evil.Tool/readiness': () => READY,
    'GET /tools/Evil.Tool%401.0.0': () => ({
      document: { [HOSTILE]: HOSTILE },
      losses: [{ path: HOSTILE, reason: HOSTILE }],
    }),
    'GET /tools/Evil.Tool%401.0.0/versions': () => ({ items: [VERSION] }),
    'POST /tools/call': () => Response.json(answer, { status }),
  })
}
const PAGE = '/console/tools/Evil.Tool'
const send = async (answer: unknown, status?: number, fields: Record<string, string> = { 'input/to': 'ann' }) => {
  const page = await world(answer, status).post(PAGE, fields)
  return { status: page.status, text: await page.text() }
}

describe('a hostile tool', () => {
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
  ])('runs nothing by %s', async (_, answer) => {
    const page =
      answer === undefined ? await world({}).get(PAGE) : await world(answer).post(PAGE, { 'input/to': HOSTILE })
    const text = await page.text()
    expect(page.status).toBe(200)
    expect(text.match(/<script/g)).toHaveLength(1)
    expect(text).not.toMatch(/\u202e|href="javascript:/)
    expect(text).toContain('\\u202e')
  })
})

describe('the form of a tool', () => {
  it('calls it as it says, once where it is sent twice', async () => {
    const { post, asked } = world({ result: { call_id: 'c', success: true, duration: 12.4, value: 5 } })
    const fields = { 'input/to': 'ann', 'user_id': 'bob', 'call_id': 'form-1' }
    const text = await (await post(PAGE, fields)).text()
    await post(PAGE, fields)
    await post(PAGE, { ...fields, 'input/to': 'eve' })
    expect(text).toContain('It worked')
    const bodies = asked.filter(({ request }) => request.method === 'POST').map(({ body }) => JSON.parse(body).request)
    expect(bodies[0]).toEqual({
      tool_id: TOOL.id,
      call_id: expect.stringMatching(/^console-[\w-]{43}$/),
      input: { to: 'ann' },
      context: { user_id: 'bob' },
    })
    expect(bodies[1].call_id).toBe(bodies[0].call_id)
    expect(bodies[2].call_id).not.toBe(bodies[0].call_id)
    expect(text).toMatch(/name="call_id" value="(?!form-1)/)
  })

  it('says at each parameter what is wrong, and keeps what was written', async () => {
    const { text } = await send(
      { message: 'Some input parameters are invalid', parameter_errors: { to: 'Is too short' } },
      422,
    )
    expect(text).toContain('Is too short')
    expect(text).toMatch(/id="f-input\/to"[^>]*aria-invalid="true"[^>]*value="ann"/)
    expect(text).toContain('Try again')
  })

  it('leads to what somebody must do first, and calls nothing where it holds no JSON', async () => {
    const url = 'https://s.test/authorizations/x/start'
    const { text } = await send(
      { message: 'Needs more', missing_requirements: { authorization: [{ id: 'google', url }] } },
      400,
    )
    expect(text).toContain(
      `<a href="${url}" target="_blank" rel="noopener noreferrer" data-again="true">Let the tool have access to google</a>`,
    )
    const { post, asked } = world({})
    expect(await (await post(PAGE, { whole: '{' })).text()).toContain('Must be JSON')
    expect(asked.filter(({ request }) => request.method === 'POST')).toEqual([])
  })

  it('is not there for whoever may only read', async () => {
    const reader = { id: 'key:1', kind: 'key', scopes: ['tools:read'], tools: ['*'], users: [] } as const
    const { get } = setUp(
      {
        'GET /tools/Evil.Tool': () => TOOL,
        'GET /tools/Evil.Tool/readiness': () => READY,
      },
      reader,
    )
    const text = await (await get(PAGE)).text()
    expect(text).toContain('You may read it, and not call it')
    expect(text).not.toContain('name="call_id"')
  })
})
