import { describe, expect, it } from 'vitest'
import type { Failure, FailureType } from '../../../src/core/failure/failure.ts'
import { failureBody } from '../../../src/dialects/oxp/failure.ts'
import { FAILURES } from '../machine-context/failures.ts'

describe('what a person must do first', () => {
  it('is to be authorized, by its provider, with where to look', () => {
    expect(failureBody(FAILURES['requirements-missing'])).toEqual({
      message: "Tool 'Kit.Tool' needs something more before it can be called",
      developer_message: 'No grant',
      missing_requirements: {
        authorization: [{ id: 'google', url: 'https://here/start', check_url: 'https://here/check' }],
        secrets: [{ id: 'KEY' }],
        user_id: true,
      },
    })
  })

  it('is to be approved, in the same form', () => {
    expect(failureBody(FAILURES['approval-required'])).toEqual({
      message: 'A person must approve this call first',
      developer_message: 'Level 8',
      missing_requirements: {
        authorization: [{ id: 'approval', url: 'https://here/approve', check_url: 'https://here/check/a2' }],
      },
    })
  })
})

/** What is said of each failure: a new one does not compile until it stands here. */
const SAID: Readonly<Record<FailureType, unknown>> = {
  'request-malformed': { message: 'Bad field', developer_message: 'Wanted another' },
  'body-timed-out': {
    message: 'The body did not arrive in time',
    developer_message: 'Send the request again, with all of its body',
  },
  'body-too-large': { message: 'The body is larger than 10 bytes' },
  'media-type-unsupported': {
    message: "Send the body as 'application/json'",
    developer_message: "Got the content type 'text/plain'",
  },
  'protocol-version-unsupported': {
    message: "The protocol version '9' is not supported",
    developer_message: "Wanted '1.0'",
  },
  'misdirected': { message: 'It is elsewhere' },
  'route-unknown': {
    message: "There is nothing at '/x'",
    developer_message: 'GET /tools lists the tools, POST /tools/call calls one',
  },
  'method-not-allowed': { message: "'PUT' is not allowed here", developer_message: 'Wanted GET, POST' },
  'unauthenticated': { message: 'No credential' },
  'forbidden': { message: 'Not yours' },
  'rate-limited': { message: 'Too many requests', developer_message: 'Try again in 2 seconds' },
  'id-malformed': {
    message: "'a b' is not a tool id",
    developer_message: "Wanted 'Toolkit.Tool', 'Toolkit.Tool@1.2.3' or a range such as 'Toolkit.Tool@^1.2'",
  },
  'tool-unknown': {
    message: "Tool 'Kit.Tol' was not found: did you mean 'Kit.Tool'?",
    developer_message: 'Kit.Tol is not available',
    suggestions: ['Kit.Tool'],
  },
  'version-unavailable': {
    message: "Tool 'Tool' was not found",
    developer_message: 'Kit.Tool version ^9 is not available',
    suggestions: ['Kit.Tool@1.0.0'],
  },
  'tool-disabled': {
    message: "Tool 'Kit.Tool@1.0.0' is disabled",
  },
  'tool-not-executable': {
    message: "Tool 'Kit.Tool@1.0.0' cannot be called here",
    developer_message: 'No implementation',
  },
  'tool-untrusted': {
    message: `Tool 'Kit.Tool@1.0.0' is not trusted with the secret 'KEY'`,
    developer_message: `It was published with a key that does not name it or its toolkit: the caller can send its own credentials, or the operator can trust the tool`,
  },
  'requirements-missing': {
    message: "Tool 'Kit.Tool' needs something more before it can be called",
    developer_message: 'No grant',
    missing_requirements: {
      authorization: [{ id: 'google', url: 'https://here/start', check_url: 'https://here/check' }],
      secrets: [{ id: 'KEY' }],
      user_id: true,
    },
  },
  'approval-required': {
    message: 'A person must approve this call first',
    developer_message: 'Level 8',
    missing_requirements: {
      authorization: [{ id: 'approval', url: 'https://here/approve', check_url: 'https://here/check/a2' }],
    },
  },
  'input-invalid': { message: 'Some input parameters are invalid: Too many', parameter_errors: { b: 'Is required' } },
  'tool-failed': {
    message: 'No such mailbox',
    developer_message: 'IMAP 5',
    can_retry: true,
    additional_prompt_content: 'Ask for another',
    retry_after_ms: 2000,
  },
  'tool-timed-out': {
    message: 'The tool did not answer within 30 seconds',
    developer_message: 'The deadline passed while the tool ran',
    can_retry: true,
  },
  'output-invalid': {
    message: 'The output does not match the output schema',
    developer_message: '/sum: Must be a number',
    can_retry: false,
  },
  'select-invalid': {
    message: "'select' is not a JMESPath expression: 'b' cannot stand there",
    developer_message: "At character 4; wanted an expression such as 'items[].name'",
  },
  'select-failed': {
    message: "The tool ran, but 'select' failed on its output: no array",
    developer_message: 'Do not repeat the call: everything it returned is at https://here/artifacts/a',
    can_retry: false,
    artifact: { url: 'https://here/artifacts/a', content_type: 'text/csv', size: 9, meta: { description: 'Rows' } },
  },
  'output-elsewhere': {
    message: 'The output is at https://here/artifacts/a',
    developer_message: 'It has 9 bytes of text/csv, and its schema allows no link in its place',
    can_retry: false,
    artifact: { url: 'https://here/artifacts/a', content_type: 'text/csv', size: 9, meta: { description: 'Rows' } },
  },
  'output-too-large': {
    message: 'The output is larger than 10 bytes',
    developer_message: 'Nothing is kept here',
    can_retry: false,
  },
  'cancelled': { message: 'The call was canceled', can_retry: true },
  'outcome-unknown': {
    message: 'The outcome of this call is unknown: it started but never finished',
    developer_message: "It will not run again under the id 'c1': check its effect, then use another id if needed",
    can_retry: false,
  },
  'input-required': {
    message: 'The tool asks for more input, and OXP has no way to give it',
    developer_message: 'It can be answered through /mcp:\n- city: elicitation/create',
    can_retry: false,
  },
  'definition-invalid': { message: 'The definition is not valid', errors: [{ path: '/id', message: 'Is required' }] },
  'conflict': { message: 'Taken' },
  'precondition-failed': { message: 'Changed' },
  'not-found': { message: 'Gone' },
  'gone': { message: 'No longer' },
  'unavailable': { message: 'Storage is away' },
  'internal': { message: 'Something went wrong on our side', developer_message: "Reference 'r1'" },
}

/** The same failures with more in them, or less. */
const VARIANTS: readonly (readonly [Failure, unknown])[] = [
  [{ type: 'request-malformed', message: 'Bad field' }, { message: 'Bad field' }],
  [{ type: 'body-too-large', limit: 10, got: 12 }, { message: 'The body has 12 bytes, and at most 10 are taken' }],
  [
    { type: 'media-type-unsupported', got: null, wanted: 'application/json' },
    { message: "Send the body as 'application/json'", developer_message: "Got the content type 'none'" },
  ],
  [
    { type: 'tool-unknown', asked: 'Kit.Tol', suggestions: [] },
    { message: "Tool 'Kit.Tol' was not found", developer_message: 'Kit.Tol is not available' },
  ],
  [
    { type: 'tool-unknown', asked: 'Kit.Tol', suggestions: ['Kit.A', 'Kit.B'] },
    {
      message: "Tool 'Kit.Tol' was not found: did you mean 'Kit.A', 'Kit.B'?",
      developer_message: 'Kit.Tol is not available',
      suggestions: ['Kit.A', 'Kit.B'],
    },
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
    {
      message: "Tool 'Kit.Tool' needs something more before it can be called",
      developer_message: 'No user',
      missing_requirements: { user_id: true },
    },
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
    {
      message: "Tool 'Kit.Tool' needs something more before it can be called",
      developer_message: 'No secrets',
      missing_requirements: { secrets: [{ id: 'A' }, { id: 'B' }] },
    },
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
    {
      message: "Tool 'Kit.Tool' needs something more before it can be called",
      developer_message:
        'No provider; or send a token of your own as context.authorization [{"id": "google", "token": …}]',
      missing_requirements: {
        authorization: [{ id: 'google', url: 'https://here/start' }],
        needs_setup: ['google'],
      },
    },
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
    {
      message: "Tool 'Kit.Tool' needs something more before it can be called",
      developer_message: 'No grant',
      missing_requirements: { authorization: [{ id: 'google', url: 'https://here/start' }] },
    },
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
    {
      message: 'Some input parameters are invalid',
      parameter_errors: { b: "At '0': Is wrong; Is short", c: 'Is required' },
    },
  ],
  [
    {
      type: 'input-invalid',
      problems: [
        { path: '', message: 'Too many' },
        { path: '', message: 'Too deep' },
      ],
    },
    { message: 'Some input parameters are invalid: Too many: Too deep', parameter_errors: {} },
  ],
  [{ type: 'tool-failed', message: 'No such mailbox' }, { message: 'No such mailbox' }],
  [
    {
      type: 'output-invalid',
      problems: [
        { path: '', message: 'Too long' },
        { path: '/b/c', message: 'Must be a number' },
      ],
    },
    {
      message: 'The output does not match the output schema',
      developer_message: 'The output: Too long; /b/c: Must be a number',
      can_retry: false,
    },
  ],
  [
    {
      type: 'definition-invalid',
      problems: [
        { path: '', message: 'Too long' },
        { path: '/b/c', message: 'Is required' },
      ],
    },
    {
      message: 'The definition is not valid',
      errors: [
        { path: '', message: 'Too long' },
        { path: '/b/c', message: 'Is required' },
      ],
    },
  ],
  [
    {
      type: 'input-required',
      requests: {
        name: { method: 'elicitation/create', params: { message: 'Who?' } },
        roots: { method: 'roots/list', params: {} },
      },
    },
    {
      message: 'The tool asks for more input, and OXP has no way to give it',
      developer_message: 'It can be answered through /mcp:\n- name: Who?\n- roots: roots/list',
      can_retry: false,
    },
  ],
]

describe('a failure', () => {
  it.each(Object.values(FAILURES))('of type $type is worded in full', (failure) => {
    expect(failureBody(failure)).toEqual(SAID[failure.type])
  })

  it.each(VARIANTS)('like %j is', (failure, said) => {
    expect(failureBody(failure)).toEqual(said)
  })
})

it('cuts ids that are long', () => {
  const asked = 'x'.repeat(201)
  const cut = 'x'.repeat(200)
  expect(failureBody({ type: 'id-malformed', asked })).toMatchObject({ message: `'${cut}' is not a tool id` })
  expect(failureBody({ type: 'tool-unknown', asked, suggestions: [] })).toEqual({
    message: `Tool '${cut}' was not found`,
    developer_message: `${cut} is not available`,
  })
})
