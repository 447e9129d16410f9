import { describe, expect, it } from 'vitest'
import type { Failure, FailureType } from '../../../src/core/failure/failure.ts'
import { toExecutionError } from '../../../src/dialects/machine-context/failure.ts'
import { FAILURES } from './failures.ts'

/** What is said of each failure: a new one does not compile until it stands here. */
const SAID: Readonly<Record<FailureType, unknown>> = {
  'request-malformed': { code: 'VALIDATION_ERROR', message: 'Bad field', details: { reason: 'Wanted another' } },
  'body-timed-out': {
    code: 'TIMEOUT_ERROR',
    message: 'The body did not arrive in time: send the request again, with all of its body',
  },
  'body-too-large': {
    code: 'RESOURCE_ERROR',
    message: 'The body is larger than 10 bytes',
    details: { limit_bytes: 10 },
  },
  'media-type-unsupported': {
    code: 'VALIDATION_ERROR',
    message: "Send the body as 'application/json', got 'text/plain'",
  },
  'protocol-version-unsupported': {
    code: 'VALIDATION_ERROR',
    message: "The protocol version '9' is not supported: wanted '1.0'",
  },
  'misdirected': { code: 'VALIDATION_ERROR', message: 'It is elsewhere' },
  'route-unknown': { code: 'NOT_FOUND_ERROR', message: "There is nothing at '/x'" },
  'method-not-allowed': { code: 'VALIDATION_ERROR', message: "'PUT' is not allowed here: wanted GET, POST" },
  'unauthenticated': { code: 'SECURITY_ERROR', message: 'No credential' },
  'forbidden': { code: 'SECURITY_ERROR', message: 'Not yours' },
  'rate-limited': { code: 'RESOURCE_ERROR', message: 'Too many requests', details: { retry_after_ms: 1500 } },
  'id-malformed': {
    code: 'NOT_FOUND_ERROR',
    message:
      "There can be no tool 'a b': ids and capabilities are 1 to 160 characters that can be seen, and a version is x.y.z or a range",
  },
  'tool-unknown': {
    code: 'NOT_FOUND_ERROR',
    message: "Tool 'Kit.Tol' was not found: did you mean 'Kit.Tool'?",
    details: { suggestions: ['Kit.Tool'] },
  },
  'version-unavailable': {
    code: 'NOT_FOUND_ERROR',
    message: "Version '^9' of tool 'Kit.Tool' is not available: there is '1.0.0'",
    details: { available: ['1.0.0'] },
  },
  'tool-disabled': { code: 'VALIDATION_ERROR', message: "Tool 'Kit.Tool@1.0.0' is disabled" },
  'tool-not-executable': {
    code: 'VALIDATION_ERROR',
    message: "Tool 'Kit.Tool@1.0.0' cannot be called here: No implementation",
  },
  'tool-untrusted': {
    code: 'SECURITY_ERROR',
    message: `Tool 'Kit.Tool@1.0.0' is not trusted with the secret 'KEY': it was published with a key that does not name it or its toolkit: the caller can send its own credentials, or the operator can trust the tool`,
  },
  'requirements-missing': {
    code: 'SECURITY_ERROR',
    message: "Tool 'Kit.Tool' needs something more before it can be called: No grant",
    details: {
      authorization: [
        {
          id: 'google',
          url: 'https://here/start',
          check_url: 'https://here/check',
          scopes: ['mail'],
          status: 'pending',
        },
      ],
      secrets: [{ id: 'KEY' }],
      user_id: true,
    },
  },
  'approval-required': {
    code: 'SECURITY_ERROR',
    message: 'A person must approve this call first: Level 8',
    details: {
      authorization: [
        {
          id: 'approval',
          url: 'https://here/approve',
          check_url: 'https://here/check/a2',
          scopes: [],
          status: 'not_started',
        },
      ],
    },
  },
  'input-invalid': {
    code: 'VALIDATION_ERROR',
    message: 'Some parameters are invalid: Too many',
    details: { b: 'Is required' },
  },
  'tool-failed': {
    code: 'EXECUTION_ERROR',
    message: 'No such mailbox',
    details: {
      developer_message: 'IMAP 5',
      can_retry: true,
      additional_prompt_content: 'Ask for another',
      retry_after_ms: 2000,
    },
  },
  'tool-timed-out': { code: 'TIMEOUT_ERROR', message: 'The tool did not answer within 30 seconds' },
  'output-invalid': {
    code: 'EXECUTION_ERROR',
    message: 'The tool returned something its return schema does not allow',
    details: { problems: [{ path: '/sum', message: 'Must be a number' }] },
  },
  'select-invalid': {
    code: 'VALIDATION_ERROR',
    message:
      "'select' is not a JMESPath expression: 'b' cannot stand there: at character 4; wanted an expression such as 'items[].name'",
    details: { character: 4 },
  },
  'select-failed': {
    code: 'EXECUTION_ERROR',
    message:
      "The tool ran, but 'select' failed on its output: no array: do not repeat the call: everything it returned is at https://here/artifacts/a",
    details: {
      artifact: { url: 'https://here/artifacts/a', content_type: 'text/csv', size: 9, meta: { description: 'Rows' } },
    },
  },
  'output-elsewhere': {
    code: 'RESOURCE_ERROR',
    message:
      'The output is at https://here/artifacts/a: it has 9 bytes of text/csv, and its schema allows no link in its place',
    details: {
      artifact: { url: 'https://here/artifacts/a', content_type: 'text/csv', size: 9, meta: { description: 'Rows' } },
    },
  },
  'output-too-large': {
    code: 'RESOURCE_ERROR',
    message: 'The output is larger than 10 bytes: nothing is kept here',
    details: { limit_bytes: 10 },
  },
  'cancelled': { code: 'EXECUTION_ERROR', message: 'The call was canceled' },
  'outcome-unknown': {
    code: 'EXECUTION_ERROR',
    message:
      "The outcome of this call is unknown: it started but never finished: it will not run again under the id 'c1': check its effect, then use another id if needed",
  },
  'input-required': {
    code: 'EXECUTION_ERROR',
    message: 'The tool asks for more input, and this protocol has no way to give it\n- city: elicitation/create',
    details: { requests: ['city'] },
  },
  'definition-invalid': {
    code: 'VALIDATION_ERROR',
    message: 'The definition is not valid',
    details: { problems: [{ path: '/id', message: 'Is required' }] },
  },
  'conflict': { code: 'VALIDATION_ERROR', message: 'Taken' },
  'precondition-failed': { code: 'VALIDATION_ERROR', message: 'Changed' },
  'not-found': { code: 'NOT_FOUND_ERROR', message: 'Gone' },
  'gone': { code: 'NOT_FOUND_ERROR', message: 'No longer' },
  'unavailable': { code: 'SYSTEM_ERROR', message: 'Storage is away' },
  'internal': { code: 'SYSTEM_ERROR', message: 'Something went wrong on our side', details: { reference: 'r1' } },
}

/** The same failures with more in them, or less. */
const VARIANTS: readonly (readonly [Failure, unknown])[] = [
  [
    { type: 'request-malformed', message: 'Bad field' },
    { code: 'VALIDATION_ERROR', message: 'Bad field' },
  ],
  [
    { type: 'media-type-unsupported', got: null, wanted: 'application/json' },
    { code: 'VALIDATION_ERROR', message: "Send the body as 'application/json', got 'no content type'" },
  ],
  [
    { type: 'tool-unknown', asked: 'Kit.Tol', suggestions: [] },
    { code: 'NOT_FOUND_ERROR', message: "Tool 'Kit.Tol' was not found" },
  ],
  [
    { type: 'tool-unknown', asked: 'Kit.Tol', suggestions: ['Kit.A', 'Kit.B'] },
    {
      code: 'NOT_FOUND_ERROR',
      message: "Tool 'Kit.Tol' was not found: did you mean 'Kit.A', 'Kit.B'?",
      details: { suggestions: ['Kit.A', 'Kit.B'] },
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
      code: 'SECURITY_ERROR',
      message: "Tool 'Kit.Tool' needs something more before it can be called: No user",
      details: { user_id: true },
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
      code: 'SECURITY_ERROR',
      message: "Tool 'Kit.Tool' needs something more before it can be called: No secrets",
      details: { secrets: [{ id: 'A' }, { id: 'B' }] },
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
      code: 'SECURITY_ERROR',
      message: "Tool 'Kit.Tool' needs something more before it can be called: No grant",
      details: {
        authorization: [{ id: 'google', url: 'https://here/start', scopes: ['mail'], status: 'not_started' }],
      },
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
      code: 'VALIDATION_ERROR',
      message: 'Some parameters are invalid',
      details: { b: "At '0': Is wrong; Is short", c: 'Is required' },
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
    { code: 'VALIDATION_ERROR', message: 'Some parameters are invalid: Too many: Too deep', details: {} },
  ],
  [
    { type: 'tool-failed', message: 'No such mailbox' },
    { code: 'EXECUTION_ERROR', message: 'No such mailbox' },
  ],
  [
    {
      type: 'output-invalid',
      problems: [
        { path: '', message: 'Too long' },
        { path: '/b/c', message: 'Must be a number' },
      ],
    },
    {
      code: 'EXECUTION_ERROR',
      message: 'The tool returned something its return schema does not allow',
      details: {
        problems: [
          { path: '', message: 'Too long' },
          { path: '/b/c', message: 'Must be a number' },
        ],
      },
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
      code: 'EXECUTION_ERROR',
      message:
        'The tool asks for more input, and this protocol has no way to give it\n- name: Who?\n- roots: roots/list',
      details: { requests: ['name', 'roots'] },
    },
  ],
]

describe('a failure', () => {
  it.each(Object.values(FAILURES))('of type $type is worded in full', (failure) => {
    expect(toExecutionError(failure)).toEqual(SAID[failure.type])
  })

  it.each(VARIANTS)('like %j is', (failure, said) => {
    expect(toExecutionError(failure)).toEqual(said)
  })
})

it('cuts ids that are long', () => {
  const asked = 'x'.repeat(201)
  const cut = 'x'.repeat(200)
  expect(toExecutionError({ type: 'id-malformed', asked })).toMatchObject({
    message: expect.stringContaining(`no tool '${cut}':`),
  })
  expect(toExecutionError({ type: 'tool-unknown', asked, suggestions: [] })).toEqual({
    code: 'NOT_FOUND_ERROR',
    message: `Tool '${cut}' was not found`,
  })
})
