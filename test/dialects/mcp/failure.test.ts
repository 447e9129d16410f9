import { describe, expect, it } from 'vitest'
import type { AuthorizationChallenge } from '../../../src/core/consent/authorization.ts'
import { type Failure, type FailureType, fail } from '../../../src/core/failure/failure.ts'
import { MCP_FAILURES, formatFailure } from '../../../src/dialects/mcp/failure.ts'
import { FAILURES } from '../machine-context/failures.ts'
import { setUp } from './set-up.ts'

const CHALLENGE: AuthorizationChallenge = {
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
  'body-timed-out': [{ type: 'body-timed-out' }, -32600, 408, 408, /in time/],
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
  'misdirected': [{ type: 'misdirected', message: 'It is elsewhere' }, 421, 421, 421, /elsewhere/],
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
  'id-malformed': [{ type: 'id-malformed', asked: 'x y' }, -32602, 200, 200, /^Unknown tool: 'x y'$/],
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
  'tool-untrusted': [
    { type: 'tool-untrusted', id: 'Kit.Tool@1.0.0', credentials: ["the secret 'KEY'"] },
    undefined,
    200,
    200,
    /trusted with the secret 'KEY'.*or the operator/,
  ],
  'requirements-missing': [MISSING, undefined, 200, 200, /called: d\n.*'KEY'$/],
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
    /^m\np\nTry again in 0\.005 seconds$/,
  ],
  'tool-timed-out': [{ type: 'tool-timed-out', timeout_ms: 3000 }, undefined, 200, 200, /3 seconds/],
  'output-invalid': [
    { type: 'output-invalid', problems: [{ path: '', message: 'Is wrong' }] },
    undefined,
    200,
    200,
    /the output: Is wrong/,
  ],
  'select-invalid': [
    { type: 'select-invalid', message: "'b' cannot stand there", at: 3 },
    undefined,
    200,
    200,
    /at character 4/,
  ],
  'select-failed': [
    {
      type: 'select-failed',
      why: 'no array',
      artifact: { url: 'https://here/artifacts/a', content_type: 'text/csv', size: 9, meta: { description: 'Rows' } },
    },
    undefined,
    200,
    200,
    /is at https:/,
  ],
  'output-elsewhere': [
    {
      type: 'output-elsewhere',
      artifact: { url: 'https://here/artifacts/a', content_type: 'text/csv', size: 9, meta: { description: 'Rows' } },
    },
    undefined,
    200,
    200,
    /is at https:/,
  ],
  'output-too-large': [
    { type: 'output-too-large', limit: 9, why: 'no bucket' },
    undefined,
    200,
    200,
    /9 bytes: no bucket/,
  ],
  'cancelled': [{ type: 'cancelled' }, undefined, 200, 200, /canceled/],
  'outcome-unknown': [
    { type: 'outcome-unknown', call_id: 'c1' },
    undefined,
    200,
    200,
    /outcome of this call is unknown/,
  ],
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
  'precondition-failed': [{ type: 'precondition-failed', message: 'm' }, -32602, 200, 200, /^m$/],
  'not-found': [{ type: 'not-found', message: 'm' }, -32602, 200, 200, /^m$/],
  'gone': [{ type: 'gone', message: 'm' }, -32602, 200, 200, /^m$/],
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
      expect(body).toMatchObject({ id: 1, result: { isError: true } })
      expect(body.result?.content[0]).toMatchObject({ type: 'text' })
      expect(body.result?.content[0]?.text).toMatch(text)
      expect(body.result?.content[0]?.text).not.toContain('for developers')
      if (revision === 'modern') expect(body.result).toMatchObject({ resultType: 'complete' })
    } else {
      expect(body).toMatchObject({ id: 1, error: { code } })
      expect(body.error?.message).toMatch(text)
    }
    expect(MCP_FAILURES[type as FailureType] === 'result').toBe(code === undefined)
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

/** What is said of each failure: a new one does not compile until it stands here. */
const SAID: Readonly<Record<FailureType, unknown>> = {
  'request-malformed': 'Bad field: Wanted another',
  'body-timed-out': 'The body did not arrive in time: send the request again, with all of its body',
  'body-too-large': 'The body is larger than 10 bytes',
  'media-type-unsupported': "Send the body as 'application/json', got the content type 'text/plain'",
  'protocol-version-unsupported': "The protocol version '9' is not supported: wanted one of 1.0",
  'misdirected': 'It is elsewhere',
  'route-unknown': "There is no method 'GET'",
  'method-not-allowed': "'PUT' is not allowed here: wanted GET, POST",
  'unauthenticated': 'No credential',
  'forbidden': 'Not yours',
  'rate-limited': 'Too many requests: try again in 2 seconds',
  'id-malformed': "Unknown tool: 'a b'",
  'tool-unknown': "Unknown tool: 'Kit.Tol': did you mean 'Kit.Tool'?",
  'version-unavailable': "Version '^9' of tool 'Tool' is not available: there is '1.0.0'",
  'tool-disabled': "Tool 'Kit.Tool@1.0.0' is disabled",
  'tool-not-executable': "The tool 'Kit.Tool@1.0.0' cannot be called here: No implementation",
  'tool-untrusted': `Tool 'Kit.Tool@1.0.0' is not trusted with the secret 'KEY': it was published with a key that does not name it or its toolkit: the caller can send its own credentials, or the operator can trust the tool`,
  'requirements-missing':
    "The tool 'Kit.Tool' needs something more before it can be called: No grant\nMissing secrets: 'KEY'",
  'approval-required':
    'approval_required: a person must approve this call first: open https://here/approve and then call again with the same arguments\nLevel 8',
  'input-invalid': 'Some arguments are invalid\n- b: Is required\nToo many',
  'tool-failed': 'No such mailbox\nAsk for another\nTry again in 2 seconds',
  'tool-timed-out': 'The tool did not answer within 30 seconds: it may work when called again',
  'output-invalid': 'The output does not match the output schema: /sum: Must be a number',
  'select-invalid':
    "'select' is not a JMESPath expression: 'b' cannot stand there: at character 4; wanted an expression such as 'items[].name'",
  'select-failed':
    "The tool ran, but 'select' failed on its output: no array: do not repeat the call: everything it returned is at https://here/artifacts/a",
  'output-elsewhere':
    'The output is at https://here/artifacts/a: it has 9 bytes of text/csv, and its schema allows no link in its place',
  'output-too-large': 'The output is larger than 10 bytes: nothing is kept here',
  'cancelled': 'The call was canceled',
  'outcome-unknown':
    "The outcome of this call is unknown: it started but never finished: it will not run again under the id 'c1': check its effect, then use another id if needed",
  'input-required':
    'The tool asks for more input, which this client cannot give: it takes MCP 2026-07-28\n- city: elicitation/create',
  'definition-invalid': 'The definition is not valid: /id: Is required',
  'conflict': 'Taken',
  'precondition-failed': 'Changed',
  'not-found': 'Gone',
  'gone': 'No longer',
  'unavailable': 'Storage is away',
  'internal': "Something went wrong on our side: reference 'r1'",
}

/** The same failures with more in them, or less. */
const VARIANTS: readonly (readonly [Failure, unknown])[] = [
  [{ type: 'request-malformed', message: 'Bad field' }, 'Bad field'],
  [
    { type: 'media-type-unsupported', got: null, wanted: 'application/json' },
    "Send the body as 'application/json', got the content type 'none'",
  ],
  [
    { type: 'tool-unknown', asked: 'Kit.Tol', suggestions: [] },
    "Unknown tool: 'Kit.Tol': there is none, or you may not use it",
  ],
  [
    { type: 'tool-unknown', asked: 'Kit.Tol', suggestions: ['Kit.A', 'Kit.B'] },
    "Unknown tool: 'Kit.Tol': did you mean 'Kit.A', 'Kit.B'?",
  ],
  [
    { type: 'version-unavailable', tool: 'Kit.Tool', name: 'Tool', asked: '^9', available: [] },
    "Version '^9' of tool 'Tool' is not available: there is none",
  ],
  [
    { type: 'version-unavailable', tool: 'Kit.Tool', name: 'Tool', asked: '^9', available: ['1.0.0', '2.0.0'] },
    "Version '^9' of tool 'Tool' is not available: there is '1.0.0', '2.0.0'",
  ],
  [
    {
      type: 'requirements-missing',
      tool: 'Kit.Tool',
      authorization: [],
      secrets: [],
      user_id: true,
      detail: 'No user',
    },
    "The tool 'Kit.Tool' needs something more before it can be called: No user",
  ],
  [
    {
      type: 'requirements-missing',
      tool: 'Kit.Tool',
      authorization: [],
      secrets: [{ id: 'A' }, { id: 'B' }],
      user_id: false,
      detail: 'No secrets',
    },
    "The tool 'Kit.Tool' needs something more before it can be called: No secrets\nMissing secrets: 'A', 'B'",
  ],
  [
    {
      type: 'requirements-missing',
      tool: 'Kit.Tool',
      authorization: [{ id: 'google', url: 'https://here/start', scopes: [], status: 'not_started', needsSetup: true }],
      secrets: [],
      user_id: false,
      detail: 'No provider',
    },
    "The tool 'Kit.Tool' needs something more before it can be called: No provider",
  ],
  [
    {
      type: 'requirements-missing',
      tool: 'Kit.Tool',
      authorization: [{ id: 'google', url: 'https://here/start', scopes: ['mail'], status: 'not_started' }],
      secrets: [],
      user_id: false,
      detail: 'No grant',
    },
    "The tool 'Kit.Tool' needs something more before it can be called: No grant\nauthorization_required: the user must authorize 'google': open https://here/start and then call again",
  ],
  [
    {
      type: 'input-invalid',
      problems: [
        { path: '/b/0', message: 'Is wrong' },
        { path: '/b', message: 'Is short' },
        { path: '/c', message: 'Is required' },
      ],
    },
    "Some arguments are invalid\n- b: At '0': Is wrong; Is short\n- c: Is required",
  ],
  [
    {
      type: 'input-invalid',
      problems: [
        { path: '', message: 'Too many' },
        { path: '', message: 'Too deep' },
      ],
    },
    'Some arguments are invalid\nToo many; Too deep',
  ],
  [{ type: 'tool-failed', message: 'No such mailbox' }, 'No such mailbox'],
  [{ type: 'tool-failed', message: 'Busy', can_retry: true }, 'Busy\nIt may work when called again'],
  [{ type: 'tool-failed', message: 'Gone', can_retry: false, retry_after_ms: 1.5 }, 'Gone'],
  [
    {
      type: 'output-invalid',
      problems: [
        { path: '', message: 'Too long' },
        { path: '/b/c', message: 'Must be a number' },
      ],
    },
    'The output does not match the output schema: the output: Too long; /b/c: Must be a number',
  ],
  [
    {
      type: 'definition-invalid',
      problems: [
        { path: '', message: 'Too long' },
        { path: '/b/c', message: 'Is required' },
      ],
    },
    'The definition is not valid: the definition: Too long; /b/c: Is required',
  ],
  [
    {
      type: 'input-required',
      requests: {
        name: { method: 'elicitation/create', params: { message: 'Who?' } },
        roots: { method: 'roots/list', params: {} },
      },
    },
    'The tool asks for more input, which this client cannot give: it takes MCP 2026-07-28\n- name: Who?\n- roots: roots/list',
  ],
]

describe('a failure', () => {
  it.each(Object.values(FAILURES))('of type $type is worded in full', (failure) => {
    expect(formatFailure(failure)).toEqual(SAID[failure.type])
  })

  it.each(VARIANTS)('like %j is', (failure, said) => {
    expect(formatFailure(failure)).toEqual(said)
  })
})

it('cuts ids that are long', () => {
  const asked = 'x'.repeat(201)
  const cut = 'x'.repeat(200)
  expect(formatFailure({ type: 'id-malformed', asked })).toBe(`Unknown tool: '${cut}'`)
  expect(formatFailure({ type: 'tool-unknown', asked, suggestions: [] })).toContain(
    `Unknown tool: '${cut}': there is none`,
  )
})

it('cuts methods that are long, and says names as they were asked for', () => {
  expect(formatFailure({ type: 'route-unknown', method: 'm'.repeat(101), path: '/mcp' })).toBe(
    `There is no method '${'m'.repeat(100)}'`,
  )
  expect(formatFailure({ type: 'tool-unknown', asked: 'my-name:x', suggestions: [] })).toContain(
    "'my-name:x': there is none",
  )
})
