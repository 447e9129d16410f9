import { describe, expect, it } from 'vitest'
import { ADMIN, type Principal } from '../../../src/core/access.ts'
import type { InputRequests } from '../../../src/core/content.ts'
import { type Failure, fail } from '../../../src/core/failure.ts'
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
    run: (_, { answers }) =>
      answers && Object.keys(answers.responses).length > 0
        ? succeed(answers)
        : fail({ type: 'input-required', ...asks }),
  })

async function resultOf(response: Promise<Response>) {
  const answer = await response
  const body = (await answer.json()) as { result: Record<string, unknown>; error: { code: number } }
  return { status: answer.status, ...body }
}

describe('a tool that asks', () => {
  it('gets answers, and what it wanted to be told again', async () => {
    const { modern } = asking({ requests: { n: form }, state: { step: 1 } })
    const first = await resultOf(modern('tools/call', ECHO, can(ALL)))
    expect(first.result).toEqual({
      resultType: 'input_required',
      inputRequests: { n: form },
      requestState: expect.stringMatching(/^[\w-]+$/),
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

  it('does not get a state that was changed, is of another call or of somebody else, or is old', async () => {
    let now = 1_000_000
    const asks = { requests: { n: form }, state: 1 }
    const { modern } = asking(asks, { now: () => now })
    const { requestState } = (await resultOf(modern('tools/call', ECHO, can(ALL)))).result
    const inputResponses = { n: { action: 'accept' } }
    const again = (params: object, face = modern, given = can(ALL)) =>
      resultOf(face('tools/call', { ...ECHO, inputResponses, requestState, ...params }, given))
    expect(await again({})).toMatchObject({ status: 200, result: { structuredContent: { state: 1 } } })
    const refused = { status: 200, error: { code: -32602 } }
    for (const changed of [`${requestState}x`, `x${String(requestState).slice(1)}`, '', 'ä']) {
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
  ])('with a client of %j that is asked for %j: %j', async (capabilities, request, asked) => {
    const answer = await resultOf(asking({ requests: { r: request } }).modern('tools/call', ECHO, can(capabilities)))
    if (asked) expect(answer).toMatchObject({ status: 200, result: { resultType: 'input_required' } })
    else expect(answer).toMatchObject({ status: 400, error: { code: -32021, data: { requiredCapabilities: {} } } })
  })

  it('asks only for what the client declared', async () => {
    const { modern } = asking({ requests: { n: form, s: sampling } })
    const { result } = await resultOf(modern('tools/call', ECHO, can({ sampling: {} })))
    expect(result['inputRequests']).toEqual({ s: sampling })
    const { error } = await resultOf(modern('tools/call', ECHO, can({})))
    expect(error).toMatchObject({ data: { requiredCapabilities: { elicitation: { form: {} }, sampling: {} } } })
  })

  it('is explained to legacy clients, and when it asks for what nobody can be asked', async () => {
    const { legacy } = asking({ requests: { n: form } })
    const { result } = await resultOf(legacy('tools/call', ECHO))
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('Name?') }] })
    const { modern } = asking({ requests: { n: { method: 'x/y', params: {} } } })
    expect((await resultOf(modern('tools/call', ECHO, can(ALL)))).result).toMatchObject({ isError: true })
  })
})

describe('a tool that lacks a consent', () => {
  const LINK = 'https://x.example/start?id=1'
  const missing: Failure = {
    type: 'requirements-missing',
    tool: 'Kit.echo',
    authorization: [{ id: 'google', url: LINK, scopes: [] }],
    secrets: [],
    user_id: false,
    detail: '',
  }
  const lacking = (given: Partial<typeof missing> = {}) =>
    setUp({ run: () => fail({ ...missing, ...given } as Failure) })
  const answerWith = (action: string) => ({ ...ECHO, inputResponses: { 'authorization:google': { action } } })
  const link = { isError: true, content: [{ text: expect.stringContaining(LINK) }] }

  it('asks a client that can show a URL, once', async () => {
    const { modern } = lacking()
    expect((await resultOf(modern('tools/call', ECHO, can(ALL)))).result).toMatchObject({
      resultType: 'input_required',
      inputRequests: { 'authorization:google': { method: 'elicitation/create', params: { mode: 'url', url: LINK } } },
    })
    expect((await resultOf(modern('tools/call', answerWith('accept'), can(ALL)))).result).toMatchObject(link)
    for (const action of ['decline', 'cancel']) {
      const { result } = await resultOf(modern('tools/call', answerWith(action), can(ALL)))
      expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('declined') }] })
    }
  })

  it('gives the link to all others', async () => {
    const { modern, legacy } = lacking()
    expect((await resultOf(modern('tools/call', ECHO, can({ elicitation: {} })))).result).toMatchObject(link)
    expect((await resultOf(modern('tools/call', ECHO, can({})))).result).toMatchObject(link)
    expect((await resultOf(legacy('tools/call', ECHO))).result).toMatchObject(link)
    const alsoSecret = lacking({ secrets: [{ id: 'KEY' }] } as never)
    expect((await resultOf(alsoSecret.modern('tools/call', ECHO, can(ALL)))).result).toMatchObject(link)
  })

  it('is an error of its own to a legacy client that says it can show a URL', async () => {
    const answer = await resultOf(lacking().legacy('tools/call', ECHO, can(ALL)))
    expect(answer).toMatchObject({
      status: 200,
      error: { code: -32042, data: { elicitations: [{ mode: 'url', url: LINK, elicitationId: '1' }] } },
    })
  })
})
