import { describe, expect, it } from 'vitest'
import type { Challenge } from '../../../src/core/consent/authorization.ts'
import { type Failure, type FailureType, fail } from '../../../src/core/call/failure.ts'
import { ANSWERS } from '../../../src/dialects/mcp/failure.ts'
import { setUp } from './set-up.ts'

const CHALLENGE: Challenge = {
  id: 'google',
  authorization: '1',
  url: 'https://x.example/start?id=1',
  check_url: 'https://x.example/1',
  scopes: ['mail'],
  status: 'not_started',
}
const APPROVAL: Extract<Failure, { type: 'approval-required' }> = {
  type: 'approval-required',
  id: 'i',
  reason: 'r',
  challenge: { ...CHALLENGE, id: 'approval', scopes: [] },
}
const MISSING = {
  type: 'requirements-missing',
  tool: 'Kit.echo',
  authorization: [CHALLENGE],
  secrets: [{ id: 'KEY' }],
  user_id: true,
  detail: 'd',
} as const

/** Every failure, with its code (undefined: a result with isError), its status in each revision, and a part of its text. */
const TABLE: {
  readonly [T in FailureType]: readonly [
    Extract<Failure, { type: T }>,
    number | undefined,
    legacy: number,
    modern: number,
    RegExp,
  ]
} = {
  'request-malformed': [{ type: 'request-malformed', message: 'm', detail: 'd' }, -32700, 400, 400, /^m: d$/],
  'body-too-large': [{ type: 'body-too-large', limit: 5 }, -32600, 413, 413, /5 bytes/],
  'media-type-unsupported': [
    { type: 'media-type-unsupported', got: null, wanted: 'w' },
    -32600,
    415,
    415,
    /'w'.*'none'/,
  ],
  'protocol-version-unsupported': [
    { type: 'protocol-version-unsupported', asked: 'a', supported: 's' },
    -32600,
    400,
    400,
    /'a'.*s/,
  ],
  'route-unknown': [{ type: 'route-unknown', method: 'm', path: 'p' }, -32601, 200, 404, /'m'/],
  'method-not-allowed': [
    { type: 'method-not-allowed', method: 'GET', allowed: ['POST'] },
    -32600,
    405,
    405,
    /'GET'.*POST/,
  ],
  'unauthenticated': [{ type: 'unauthenticated', reason: 'r' }, 401, 401, 401, /^r$/],
  'forbidden': [{ type: 'forbidden', reason: 'r' }, 403, 403, 403, /^r$/],
  'rate-limited': [{ type: 'rate-limited', retry_after_ms: 2000 }, 429, 429, 429, /2 seconds/],
  'id-malformed': [{ type: 'id-malformed', asked: 'name:x y' }, -32602, 200, 200, /^Unknown tool: 'x y'$/],
  'tool-unknown': [{ type: 'tool-unknown', asked: 'x', suggestions: ['y'] }, -32602, 200, 200, /'x': did you mean 'y'/],
  'version-unavailable': [
    { type: 'version-unavailable', tool: 't', name: 'n', asked: '^2', available: ['1.0.0'] },
    -32602,
    200,
    200,
    /'\^2'.*'n'.*'1.0.0'/,
  ],
  'tool-disabled': [{ type: 'tool-disabled', id: 'i' }, -32602, 200, 200, /'i' is disabled/],
  'tool-not-executable': [{ type: 'tool-not-executable', id: 'i', reason: 'r' }, -32602, 200, 200, /'i'.*r/],
  'requirements-missing': [
    MISSING,
    undefined,
    200,
    200,
    /called: d\n.*open https:\/\/x\.example\/start\?id=1 and.*\n.*'KEY'.*\n.*X-User-Id/,
  ],
  'approval-required': [APPROVAL, undefined, 200, 200, /approve.*open https:\/\/x\.example\/start\?id=1 and.*\nr$/],
  'input-invalid': [
    {
      type: 'input-invalid',
      problems: [
        { path: '/a', message: 'Is wrong' },
        { path: '', message: 'All is' },
      ],
    },
    undefined,
    200,
    200,
    /- a: Is wrong\nAll is/,
  ],
  'tool-failed': [
    {
      type: 'tool-failed',
      message: 'm',
      developer_message: 'for developers',
      additional_prompt_content: 'p',
      can_retry: true,
      retry_after_ms: 5,
    },
    undefined,
    200,
    200,
    /^m\np\nTry again in 5 ms$/,
  ],
  'tool-timed-out': [{ type: 'tool-timed-out', timeout_ms: 3000 }, undefined, 200, 200, /3 seconds/],
  'output-invalid': [
    { type: 'output-invalid', problems: [{ path: '', message: 'Is wrong' }] },
    undefined,
    200,
    200,
    /the output: Is wrong/,
  ],
  'cancelled': [{ type: 'cancelled' }, undefined, 200, 200, /cancelled/],
  'input-required': [
    {
      type: 'input-required',
      requests: { n: { method: 'elicitation/create', params: { message: 'Name?' } }, r: { method: 'x/y', params: {} } },
    },
    undefined,
    200,
    200,
    /n: Name\?\n- r: x\/y|no request for/,
  ],
  'definition-invalid': [
    { type: 'definition-invalid', problems: [{ path: '/a', message: 'm' }] },
    -32602,
    200,
    200,
    /\/a: m/,
  ],
  'conflict': [{ type: 'conflict', message: 'm' }, -32602, 200, 200, /^m$/],
  'not-found': [{ type: 'not-found', message: 'm' }, -32602, 200, 200, /^m$/],
  'unavailable': [{ type: 'unavailable', message: 'm' }, -32603, 503, 503, /^m$/],
  'internal': [{ type: 'internal', reference: 'ref' }, -32603, 500, 500, /'ref'/],
}

describe.each(Object.entries(TABLE))('a call that ends in %s', (type, [failure, code, legacy, modern, text]) => {
  it.each([
    ['legacy', legacy],
    ['modern', modern],
  ] as const)('is answered so in a %s revision', async (revision, status) => {
    const answer = await setUp({ run: () => fail(failure) })[revision]('tools/call', { name: 'echo' })
    const body = (await answer.json()) as { result?: { content: { text: string }[] }; error?: { message: string } }
    expect(answer.status).toBe(status)
    expect(answer.headers.get('content-type')).toBe('application/json')
    if (code === undefined) {
      expect(body).toMatchObject({ id: 1, result: { isError: true, content: [{ type: 'text' }] } })
      expect(body.result?.content[0]?.text).toMatch(text)
      expect(body.result?.content[0]?.text).not.toContain('for developers')
      if (revision === 'modern') expect(body.result).toMatchObject({ resultType: 'complete' })
    } else {
      expect(body).toMatchObject({ id: 1, error: { code } })
      expect(body.error?.message).toMatch(text)
    }
    expect(ANSWERS[type as FailureType] === 'result').toBe(code === undefined)
  })
})

describe('what a failure says to programs', () => {
  it.each([
    [
      MISSING,
      'missing_requirements',
      {
        authorization: [{ id: 'google', url: CHALLENGE.url, check_url: CHALLENGE.check_url }],
        secrets: [{ id: 'KEY' }],
        user_id: true,
      },
    ],
    [
      APPROVAL,
      'missing_requirements',
      {
        authorization: [{ id: 'approval', url: CHALLENGE.url, check_url: CHALLENGE.check_url }],
        secrets: [],
        user_id: false,
      },
    ],
    [{ type: 'input-invalid', problems: [{ path: '/a/0', message: 'm' }] }, 'parameter_errors', { a: "At '0': m" }],
    [{ type: 'tool-failed', message: 'm', can_retry: true }, 'error', { can_retry: true }],
  ] as const)('of %j', async (failure, key, said) => {
    for (const revision of ['legacy', 'modern'] as const) {
      const answer = await setUp({ run: () => fail(failure) })[revision]('tools/call', { name: 'echo' })
      expect(await answer.json()).toMatchObject({ result: { _meta: { [`dev.switchboard/${key}`]: said } } })
    }
  })
})
