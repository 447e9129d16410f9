import { describe, expect, it } from 'vitest'
import { type Failure, fail } from '../../../../../src/core/failure/failure.ts'
import type { AuthorizationChallenge } from '../../../../../src/core/consent/authorization.ts'
import { setUp } from '../../set-up.ts'

const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
const url = 'https://x.example/a'
const challenge = (id: string): AuthorizationChallenge => ({ id, url, scopes: [], status: 'not_started' })
const MISSING: Failure = {
  type: 'requirements-missing',
  tool: 'Kit.echo',
  authorization: [challenge('google'), challenge('github')],
  secrets: [],
  user_id: false,
  detail: 'd',
}
const APPROVAL: Failure = {
  type: 'approval-required',
  id: 'Kit.echo@1.0.0',
  reason: 'r',
  challenge: challenge('approval'),
}

/** The result, or the error, of a call that ends in a failure. */
async function answerTo(failure: Failure, capabilities: object, params: object = {}) {
  const { modern } = setUp({ run: () => fail(failure) })
  const answer = await modern('tools/call', { name: 'echo', ...params }, { meta: { [CAPABILITIES]: capabilities } })
  const { result, error } = (await answer.json()) as { result?: Record<string, unknown>; error?: unknown }
  return { status: answer.status, result, error }
}

const textOf = (result: Record<string, unknown> | undefined) =>
  (result?.['content'] as { text: string }[] | undefined)?.[0]?.text

describe('requests to a client', () => {
  it('requests an elicitation for each page that a person has to open', async () => {
    const { result } = await answerTo(MISSING, { elicitation: { url: {} } })
    const request = (id: string) => ({
      method: 'elicitation/create',
      params: { mode: 'url', message: `Authorize '${id}' so that 'Kit.echo' can continue`, url },
    })
    expect(result?.['inputRequests']).toEqual({
      'authorization:google': request('google'),
      'authorization:github': request('github'),
    })
    expect((await answerTo(APPROVAL, { elicitation: { url: {} } })).result?.['inputRequests']).toEqual({
      'authorization:approval': {
        method: 'elicitation/create',
        params: { mode: 'url', message: "Approve this call of 'Kit.echo@1.0.0'", url },
      },
    })
  })

  it('requests nothing again if the person declined or is not done', async () => {
    const said = async (failure: Failure, inputResponses: object) =>
      (await answerTo(failure, { elicitation: { url: {} } }, { inputResponses })).result
    const decline = { action: 'decline' }
    const declined = await said(MISSING, {
      'authorization:google': decline,
      'authorization:github': { action: 'cancel' },
    })
    expect(textOf(declined)).toBe(
      "The user declined to authorize 'google' and to authorize 'github', which the tool needs before it can be called",
    )
    expect(declined).toMatchObject({
      isError: true,
      _meta: { 'dev.switchboard/missing_requirements': { authorization: [{ id: 'google' }, { id: 'github' }] } },
    })
    expect(textOf(await said(APPROVAL, { 'authorization:approval': decline }))).toBe(
      'The user declined to approve this call, which the tool needs before it can be called',
    )
    expect(textOf(await said(MISSING, { 'authorization:github': { action: 'accept' } }))).toMatch(
      /^The user was asked and is not done yet\nThe tool 'Kit.echo' needs something more/,
    )
    expect(await said(MISSING, { other: decline })).toMatchObject({ resultType: 'input_required' })
  })

  it.each([
    [{ elicitation: 7 }, {}],
    [{ elicitation: { url: 7 } }, {}],
    [{}, {}],
  ])(
    'requests no elicitation from a client with the capabilities %j, and explains the failure',
    async (capabilities, more) => {
      const { result } = await answerTo({ ...MISSING, ...more }, capabilities)
      expect(textOf(result)).toContain('authorization_required')
      expect(result).toMatchObject({ isError: true, resultType: 'complete' })
    },
  )

  it('names the capabilities that the client lacks', async () => {
    const asking = (...requests: { method: string; params: object }[]): Failure => ({
      type: 'input-required',
      requests: Object.fromEntries(requests.map((request, index) => [`r${index}`, request])) as never,
    })
    const sampling = (params: object) => ({ method: 'sampling/createMessage', params })
    const wanted = (requiredCapabilities: object, names: string) => ({
      status: 400,
      result: undefined,
      error: {
        code: -32021,
        message: `The tool needs a client that can be asked for ${names}`,
        data: { requiredCapabilities },
      },
    })
    expect(await answerTo(asking(sampling({ tools: [] })), {})).toEqual(wanted({ sampling: { tools: {} } }, 'sampling'))
    expect(await answerTo(asking(sampling({ toolChoice: {} })), { sampling: {} })).toEqual(
      wanted({ sampling: { tools: {} } }, 'sampling'),
    )
    expect(await answerTo(asking(sampling({}), { method: 'roots/list', params: {} }), {})).toEqual(
      wanted({ sampling: {}, roots: {} }, 'sampling, roots'),
    )
    expect(await answerTo(asking({ method: 'elicitation/create', params: { mode: 'url' } }), {})).toEqual(
      wanted({ elicitation: { url: {} } }, 'elicitation'),
    )
    const { result } = await answerTo(asking({ method: 'x/y', params: {} }), {})
    expect(textOf(result)).toBe('The tool asks for something that MCP has no request for')
  })

  it('requests no input if the tool asks for none', async () => {
    const { result } = await answerTo({ type: 'input-required', requests: {} }, {})
    expect(result).toMatchObject({ resultType: 'input_required', inputRequests: {} })
  })
})
