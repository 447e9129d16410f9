import { describe, expect, it } from 'vitest'
import { ADMIN, type Principal } from '../../../src/core/access/principal.ts'
import type { AuthorizationChallenge } from '../../../src/core/consent/authorization.ts'
import type { InputRequests } from '../../../src/core/tool/content.ts'
import { type Failure, fail } from '../../../src/core/failure/failure.ts'
import { type Given, setUp, type SetUp, succeed } from './set-up.ts'

const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
const form = { method: 'elicitation/create', params: { message: 'Name?' } }
const url = { method: 'elicitation/create', params: { mode: 'url', message: 'Go', url: 'https://x.example' } }
const sampling = { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } }
const withTools = { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1, tools: [] } }
const roots = { method: 'roots/list', params: {} }
const ALL = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} }
const can = (capabilities: object): Given => ({ meta: { [CAPABILITIES]: capabilities } })
const ECHO = { name: 'echo', arguments: { a: 1 } }

const asking = (asks: InputRequests, more: SetUp = {}) =>
  setUp({
    ...more,
    run: ({ answers }) =>
      answers && Object.keys(answers.responses).length > 0
        ? succeed(answers)
        : fail({ type: 'input-required', ...asks }),
  })

async function resultOf(response: Promise<Response>) {
  const answer = await response
  const body = (await answer.json()) as { result: Record<string, unknown>; error: { code: number } }
  return { status: answer.status, ...body }
}

describe('a tool that requests input', () => {
  it('gets the responses and its own state', async () => {
    const { modern } = asking({ requests: { n: form }, state: { step: 1 } })
    const first = await resultOf(modern('tools/call', ECHO, can(ALL)))
    expect(first.result).toEqual({
      resultType: 'input_required',
      inputRequests: { n: form },
      requestState: expect.stringMatching(/^[\w.-]+$/),
      _meta: expect.anything(),
    })
    const inputResponses = { n: { action: 'accept', content: { name: 'Ann' } } }
    const { requestState } = first.result
    const second = await resultOf(
      modern('tools/call', { ...ECHO, inputResponses, requestState }, { ...can(ALL), id: 2 }),
    )
    expect(second.result['structuredContent']).toEqual({ responses: inputResponses, state: { step: 1 } })
    const stateless = await resultOf(asking({ requests: { n: form } }).modern('tools/call', ECHO, can(ALL)))
    expect(stateless.result).not.toHaveProperty('requestState')
  })

  it('refuses a requestState that was changed, is for another call or another caller, or has expired', async () => {
    let now = 1_000_000
    const asks = { requests: { n: form }, state: 1 }
    const { modern } = asking(asks, { now: () => now })
    const { requestState } = (await resultOf(modern('tools/call', ECHO, can(ALL)))).result
    const inputResponses = { n: { action: 'accept' } }
    const again = (params: object, router = modern, given = can(ALL)) =>
      resultOf(router('tools/call', { ...ECHO, inputResponses, requestState, ...params }, given))
    expect(await again({})).toMatchObject({ status: 200, result: { structuredContent: { state: 1 } } })
    const refused = { status: 200, error: { code: -32602 } }
    const [first, ...rest] = String(requestState)
    for (const changed of [`${requestState}x`, `${first === 'x' ? 'y' : 'x'}${rest.join('')}`, '', 'ä']) {
      expect(await again({ requestState: changed })).toMatchObject(refused)
    }
    expect(await again({ arguments: { a: 2 } })).toMatchObject(refused)
    expect(await again({}, modern, { ...can(ALL), headers: { 'x-user-id': 'u' } })).toMatchObject(refused)
    const other: Principal = { ...ADMIN, id: 'key:2' }
    expect(await again({}, asking(asks, { principal: other, now: () => now }).modern)).toMatchObject(refused)
    now += 3_600_001
    expect(await again({})).toMatchObject(refused)
  })

  it.each([
    [{ elicitation: {} }, form, true],
    [{ elicitation: { form: {} } }, form, true],
    [{ elicitation: { url: {} } }, form, false],
    [{ elicitation: {} }, url, false],
    [{ elicitation: { url: {} } }, url, true],
    [{ sampling: {} }, sampling, true],
    [{ sampling: {} }, withTools, false],
    [{ sampling: { tools: {} } }, withTools, true],
    [{ roots: {} }, roots, true],
    [{}, roots, false],
  ])(
    'responds to a client with the capabilities %j, for the request %j, with a request: %j',
    async (capabilities, request, asked) => {
      const answer = await resultOf(asking({ requests: { r: request } }).modern('tools/call', ECHO, can(capabilities)))
      if (asked) expect(answer).toMatchObject({ status: 200, result: { resultType: 'input_required' } })
      else expect(answer).toMatchObject({ status: 400, error: { code: -32021, data: { requiredCapabilities: {} } } })
    },
  )

  it('requests only input of the kinds that the client declared', async () => {
    const { modern } = asking({ requests: { n: form, s: sampling } })
    const { result } = await resultOf(modern('tools/call', ECHO, can({ sampling: {} })))
    expect(result['inputRequests']).toEqual({ s: sampling })
    const { error } = await resultOf(modern('tools/call', ECHO, can({})))
    expect(error).toMatchObject({ data: { requiredCapabilities: { elicitation: { form: {} }, sampling: {} } } })
  })

  it('explains a request for input to legacy clients, and one that MCP cannot express', async () => {
    const { legacy } = asking({ requests: { n: form } })
    const { result } = await resultOf(legacy('tools/call', ECHO))
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('Name?') }] })
    const { modern } = asking({ requests: { n: { method: 'x/y', params: {} } } })
    expect((await resultOf(modern('tools/call', ECHO, can(ALL)))).result).toMatchObject({ isError: true })
  })
})

describe('a call that needs an action of a person first', () => {
  const LINK = 'https://x.example/authorizations/a1/start'
  const google: AuthorizationChallenge = {
    id: 'google',
    authorization: 'a1',
    url: LINK,
    scopes: [],
    status: 'not_started',
  }
  const missing: Failure = {
    type: 'requirements-missing',
    tool: 'Kit.echo',
    authorization: [google],
    secrets: [],
    user_id: false,
    detail: 'No grant',
  }
  const approval: Failure = {
    type: 'approval-required',
    id: 'Kit.echo@1.0.0',
    reason: 'Level 8',
    challenge: { ...google, id: 'approval', authorization: 'a2' },
  }
  const lacking = (given: Partial<typeof missing> = {}) =>
    setUp({ run: () => fail({ ...missing, ...given } as Failure) })
  const link = { isError: true, content: [{ text: expect.stringContaining(LINK) }] }

  it.each([
    ['google', missing, /Authorize 'google'.*'Kit.echo'/],
    ['approval', approval, /Approve this call of 'Kit.echo@1.0.0'/],
  ] as const)('requests each link once from a client that can show URLs: %s', async (id, failure, message) => {
    const { modern } = setUp({ run: () => fail(failure) })
    const asked = await resultOf(modern('tools/call', ECHO, can(ALL)))
    const params = { mode: 'url', url: LINK, message: expect.stringMatching(message) }
    expect(asked.result).toMatchObject({
      resultType: 'input_required',
      inputRequests: { [`authorization:${id}`]: { method: 'elicitation/create', params } },
      requestState: expect.stringMatching(/^[\w.-]+$/),
    })
    const { requestState } = asked.result
    for (const state of [{ requestState }, {}]) {
      const answered = (action: string) =>
        resultOf(
          modern(
            'tools/call',
            { ...ECHO, ...state, inputResponses: { [`authorization:${id}`]: { action } } },
            can(ALL),
          ),
        )
      expect((await answered('accept')).result).toMatchObject({
        resultType: 'complete',
        isError: true,
        content: [{ text: expect.stringMatching(/not done yet[^]*https:\/\/x\.example/) }],
      })
      for (const action of ['decline', 'cancel']) {
        const { result } = await answered(action)
        expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('declined') }] })
      }
    }
    const silent = await resultOf(modern('tools/call', { ...ECHO, requestState }, can(ALL)))
    expect(silent.result).toMatchObject(link)
  })

  it('runs the repeated call when the person is done', async () => {
    let done = false
    const { modern, calls } = setUp({ run: (call) => (done ? succeed(call.input) : fail(missing)) })
    const { requestState } = (await resultOf(modern('tools/call', ECHO, can(ALL)))).result
    done = true
    const inputResponses = { 'authorization:google': { action: 'accept' } }
    const again = await resultOf(modern('tools/call', { ...ECHO, requestState, inputResponses }, can(ALL)))
    expect(again.result).toMatchObject({ resultType: 'complete', structuredContent: { a: 1 } })
    // The answers are ours, and not the tool's
    expect(calls.at(-1)?.call.answers).toEqual({ responses: {} })
  })

  it('keeps the responses to the tool until the person is done', async () => {
    const seen: unknown[] = []
    let approvals = 0
    const { modern } = setUp({
      run({ answers }) {
        if (approvals === 0) return fail(approval)
        approvals -= 1
        seen.push(answers)
        const told = Object.keys(answers?.responses ?? {}).length > 0
        return told ? succeed('done') : fail({ type: 'input-required', requests: { n: form }, state: { step: 1 } })
      },
    })
    let state: unknown
    const round = async (inputResponses?: object) => {
      const params = {
        ...ECHO,
        ...(inputResponses ? { inputResponses } : {}),
        ...(state ? { requestState: state } : {}),
      }
      const { result } = await resultOf(modern('tools/call', params, can(ALL)))
      state = result['requestState']
      return result
    }
    const accepted = { 'authorization:approval': { action: 'accept' } }
    const named = { n: { action: 'accept', content: { name: 'Ann' } } }
    expect(await round()).toMatchObject({ inputRequests: { 'authorization:approval': {} } })
    approvals = 1
    expect(await round(accepted)).toMatchObject({ inputRequests: { n: form } })
    // The approval is used up, and the tool has to run once more
    expect(await round(named)).toMatchObject({ inputRequests: { 'authorization:approval': {} } })
    approvals = 1
    expect(await round(accepted)).toMatchObject({ content: [{ text: 'done' }] })
    expect(seen).toEqual([{ responses: {} }, { responses: named, state: { step: 1 } }])
  })

  it('requests one authorization after the other', async () => {
    let failure: Failure = missing
    const { modern } = setUp({ run: () => fail(failure) })
    const first = (await resultOf(modern('tools/call', ECHO, can(ALL)))).result
    failure = approval
    const accept = (id: string, requestState: unknown) =>
      resultOf(
        modern(
          'tools/call',
          { ...ECHO, requestState, inputResponses: { [`authorization:${id}`]: { action: 'accept' } } },
          can(ALL),
        ),
      )
    const second = (await accept('google', first['requestState'])).result
    expect(second).toMatchObject({ inputRequests: { 'authorization:approval': {} } })
    // Never repeat the first, or a client that responds automatically would be asked forever
    failure = missing
    expect((await accept('approval', second['requestState'])).result).toMatchObject(link)
  })

  it('gives the link in the error to a client that cannot show URLs', async () => {
    const { modern, legacy } = lacking()
    expect((await resultOf(modern('tools/call', ECHO, can({ elicitation: {} })))).result).toMatchObject(link)
    expect((await resultOf(modern('tools/call', ECHO, can({})))).result).toMatchObject(link)
    expect((await resultOf(legacy('tools/call', ECHO))).result).toMatchObject(link)
    const alsoSecret = lacking({ secrets: [{ id: 'KEY' }] } as never)
    expect((await resultOf(alsoSecret.modern('tools/call', ECHO, can(ALL)))).result).toMatchObject(link)
    const forNobody = lacking({ user_id: true } as never)
    const text = { isError: true, content: [{ text: expect.not.stringContaining('open http') }] }
    expect((await resultOf(forNobody.modern('tools/call', ECHO, can(ALL)))).result).toMatchObject(text)
  })

  describe('for a legacy client', () => {
    const started = async (router: ReturnType<typeof setUp>, protocolVersion: string, capabilities: object) =>
      (await router.legacy('initialize', { protocolVersion, capabilities })).headers.get('mcp-session-id')

    it.each([
      ['google', 'a1', missing],
      ['approval', 'a2', approval],
    ] as const)('that declared that it can show a URL, is its own error: %s', async (_, elicitationId, failure) => {
      const router = setUp({ run: () => fail(failure) })
      const session = await started(router, '2025-11-25', { elicitation: { form: {}, url: {} } })
      expect(session).toMatch(/^[\x21-\x7e]{32,}$/)
      expect(await started(router, '2025-11-25', { elicitation: { url: {} } })).not.toBe(session)
      const elicitations = [{ mode: 'url', url: LINK, message: expect.any(String), elicitationId }]
      const headers = { 'mcp-session-id': session ?? '', 'mcp-protocol-version': '2025-11-25' }
      for (const given of [{ headers }, can(ALL)]) {
        expect(await resultOf(router.legacy('tools/call', ECHO, given))).toMatchObject({
          status: 200,
          error: { code: -32042, message: expect.stringContaining(LINK), data: { elicitations } },
        })
      }
    })

    it.each([
      ['2025-11-25', {}],
      ['2025-11-25', { elicitation: {} }],
      ['2025-11-25', { elicitation: { form: {} } }],
      ['2025-11-25', null],
      ['2025-06-18', { elicitation: { url: {} } }],
    ])('begins no session for a client of %s that declared %j', async (version, capabilities) => {
      expect(await started(setUp(), version, capabilities as object)).toBeNull()
    })

    it('explains the failure to a legacy client with a foreign session id', async () => {
      const { legacy } = lacking()
      for (const session of ['made-up', 'elicitation-url.x']) {
        const given = { headers: { 'mcp-session-id': session } }
        expect((await resultOf(legacy('tools/call', ECHO, given))).result).toMatchObject(link)
      }
    })
  })
})
