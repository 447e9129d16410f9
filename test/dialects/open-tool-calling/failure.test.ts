import { describe, expect, it } from 'vitest'
import type { Failure, FailureType } from '../../../src/core/failure/failure.ts'
import { toFailureResponse } from '../../../src/dialects/open-tool-calling/failure.ts'
import { FAILURES } from '../machine-context/failures.ts'

/** What is said of each failure: a new one does not compile until it stands here. */
const SAID: Readonly<Record<FailureType, unknown>> = {
  'request-malformed': { status: 400, message: 'Bad field', detail: 'Wanted another' },
  'body-timed-out': {
    status: 408,
    message: 'The body did not arrive in time',
    detail: 'Send the request again, with all of its body',
  },
  'body-too-large': { status: 413, message: 'The body is larger than 10 bytes' },
  'media-type-unsupported': {
    status: 415,
    message: "Send the body as 'application/json'",
    detail: "Got the content type 'text/plain'",
  },
  'protocol-version-unsupported': {
    status: 400,
    message: "The protocol version '9' is not supported",
    detail: "Wanted '1.0'",
  },
  'misdirected': { status: 421, message: 'It is elsewhere' },
  'route-unknown': {
    status: 404,
    message: "There is nothing at '/x'",
    detail: 'POST /worker/tools/invoke calls a tool',
  },
  'method-not-allowed': { status: 405, message: "'PUT' is not allowed here", detail: 'Wanted GET, POST' },
  'unauthenticated': { status: 401, message: 'No credential' },
  'forbidden': { status: 403, message: 'Not yours' },
  'rate-limited': { status: 429, message: 'Too many requests: try again in 2 seconds' },
  'id-malformed': {
    output: {
      error: {
        message: "'a b' names no tool",
        developer_message: "Wanted a toolkit's and a tool's name",
        can_retry: false,
      },
    },
  },
  'tool-unknown': {
    output: {
      error: {
        message: "Tool 'Kit.Tol' was not found: did you mean 'Kit.Tool'?",
        developer_message: 'GET /worker/tools lists the tools',
        can_retry: false,
      },
    },
  },
  'version-unavailable': {
    output: {
      error: {
        message: "Version '^9' of tool 'Kit.Tool' is not available",
        developer_message: "There is '1.0.0'",
        can_retry: false,
      },
    },
  },
  'tool-disabled': { output: { error: { message: "Tool 'Kit.Tool@1.0.0' is disabled", can_retry: false } } },
  'tool-not-executable': {
    output: {
      error: {
        message: "Tool 'Kit.Tool@1.0.0' cannot be called here",
        developer_message: 'No implementation',
        can_retry: false,
      },
    },
  },
  'tool-untrusted': {
    output: {
      error: {
        message: `Tool 'Kit.Tool@1.0.0' is not trusted with the secret 'KEY'`,
        developer_message: `It was published with a key that does not name it or its toolkit: the caller can send its own credentials, or the operator can trust the tool`,
        can_retry: false,
      },
    },
  },
  'requirements-missing': {
    output: { requires_authorization: { id: 'a1', url: 'https://here/start', scopes: ['mail'], status: 'pending' } },
  },
  'approval-required': {
    output: { requires_authorization: { id: 'a2', url: 'https://here/approve', scopes: [], status: 'not_started' } },
  },
  'input-invalid': {
    output: {
      error: {
        message: 'Some inputs are not valid: Too many; b: Is required',
        developer_message: '/b: Is required; Too many',
        can_retry: true,
        additional_prompt_content: 'Correct these inputs, then call the tool again: Too many; b: Is required',
      },
    },
  },
  'tool-failed': {
    output: {
      error: {
        message: 'No such mailbox',
        developer_message: 'IMAP 5',
        can_retry: true,
        additional_prompt_content: 'Ask for another',
        retry_after_ms: 2000,
      },
    },
  },
  'tool-timed-out': {
    output: {
      error: {
        message: 'The tool did not answer within 30 seconds',
        developer_message: 'The deadline passed while the tool ran',
        can_retry: true,
      },
    },
  },
  'output-invalid': {
    output: {
      error: {
        message: 'The output does not match the output schema',
        developer_message: '/sum: Must be a number',
        can_retry: false,
      },
    },
  },
  'select-invalid': {
    output: {
      error: {
        message: "'select' is not a JMESPath expression: 'b' cannot stand there",
        developer_message: "At character 4; wanted an expression such as 'items[].name'",
        can_retry: true,
      },
    },
  },
  'select-failed': {
    output: {
      error: {
        message: "The tool ran, but 'select' failed on its output: no array",
        developer_message: 'Do not repeat the call: everything it returned is at https://here/artifacts/a',
        can_retry: false,
      },
    },
  },
  'output-elsewhere': {
    output: {
      error: {
        message: 'The output is at https://here/artifacts/a',
        developer_message: 'It has 9 bytes of text/csv, and its schema allows no link in its place',
        can_retry: false,
      },
    },
  },
  'output-too-large': {
    output: {
      error: {
        message: 'The output is larger than 10 bytes',
        developer_message: 'Nothing is kept here',
        can_retry: false,
      },
    },
  },
  'cancelled': { output: { error: { message: 'The call was canceled', can_retry: true } } },
  'outcome-unknown': {
    output: {
      error: {
        message: 'The outcome of this call is unknown: it started but never finished',
        developer_message: "It will not run again under the id 'c1': check its effect, then use another id if needed",
        can_retry: false,
      },
    },
  },
  'input-required': {
    output: {
      error: {
        message: 'The tool asks for more input, and the Open Tool Calling RFC has no way to give it',
        developer_message: 'It can be answered through /mcp:\n- city: elicitation/create',
        can_retry: false,
      },
    },
  },
  'definition-invalid': { status: 422, message: 'The definition is not valid', detail: '/id: Is required' },
  'conflict': { status: 409, message: 'Taken' },
  'precondition-failed': { status: 412, message: 'Changed' },
  'not-found': { status: 404, message: 'Gone' },
  'gone': { status: 410, message: 'No longer' },
  'unavailable': { status: 503, message: 'Storage is away' },
  'internal': { status: 500, message: "Something went wrong on our side: reference 'r1'" },
}

/** The same failures with more in them, or less. */
const VARIANTS: readonly (readonly [Failure, unknown])[] = [
  [
    { type: 'request-malformed', message: 'Bad field' },
    { status: 400, message: 'Bad field' },
  ],
  [
    { type: 'media-type-unsupported', got: null, wanted: 'application/json' },
    { status: 415, message: "Send the body as 'application/json'", detail: "Got the content type 'none'" },
  ],
  [
    { type: 'tool-unknown', asked: 'Kit.Tol', suggestions: [] },
    {
      output: {
        error: {
          message: "Tool 'Kit.Tol' was not found",
          developer_message: 'GET /worker/tools lists the tools',
          can_retry: false,
        },
      },
    },
  ],
  [
    { type: 'tool-unknown', asked: 'Kit.Tol', suggestions: ['Kit.A', 'Kit.B'] },
    {
      output: {
        error: {
          message: "Tool 'Kit.Tol' was not found: did you mean 'Kit.A', 'Kit.B'?",
          developer_message: 'GET /worker/tools lists the tools',
          can_retry: false,
        },
      },
    },
  ],
  [
    { type: 'version-unavailable', tool: 'Kit.Tool', name: 'Tool', asked: '^9', available: [] },
    {
      output: {
        error: {
          message: "Version '^9' of tool 'Kit.Tool' is not available",
          developer_message: 'There is none',
          can_retry: false,
        },
      },
    },
  ],
  [
    { type: 'version-unavailable', tool: 'Kit.Tool', name: 'Tool', asked: '^9', available: ['1.0.0', '2.0.0'] },
    {
      output: {
        error: {
          message: "Version '^9' of tool 'Kit.Tool' is not available",
          developer_message: "There is '1.0.0', '2.0.0'",
          can_retry: false,
        },
      },
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
      output: {
        error: {
          message: "Tool 'Kit.Tool' needs a user (context.user_id) before it can be called",
          developer_message: 'No user',
          can_retry: false,
        },
      },
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
      output: {
        error: {
          message:
            "Tool 'Kit.Tool' needs the secret 'A' (context.secrets) and the secret 'B' (context.secrets) before it can be called",
          developer_message: 'No secrets',
          can_retry: false,
        },
      },
    },
  ],
  [
    {
      type: 'requirements-missing',
      tool: 'Kit.Tool',
      authorization: [],
      secrets: [{ id: 'A' }],
      user_id: true,
      detail: 'No secret',
    },
    {
      output: {
        error: {
          message:
            "Tool 'Kit.Tool' needs the secret 'A' (context.secrets) and a user (context.user_id) before it can be called",
          developer_message: 'No secret',
          can_retry: false,
        },
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
      output: {
        requires_authorization: { id: 'google', url: 'https://here/start', scopes: ['mail'], status: 'not_started' },
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
      output: {
        error: {
          message: "Some inputs are not valid: b: At '0': Is wrong; Is short; c: Is required",
          developer_message: '/b/0: Is wrong; /b: Is short; /c: Is required',
          can_retry: true,
          additional_prompt_content:
            "Correct these inputs, then call the tool again: b: At '0': Is wrong; Is short; c: Is required",
        },
      },
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
    {
      output: {
        error: {
          message: 'Some inputs are not valid: Too many; Too deep',
          developer_message: 'Too many; Too deep',
          can_retry: true,
          additional_prompt_content: 'Correct these inputs, then call the tool again: Too many; Too deep',
        },
      },
    },
  ],
  [
    { type: 'tool-failed', message: 'No such mailbox' },
    { output: { error: { message: 'No such mailbox', can_retry: false } } },
  ],
  [
    { type: 'tool-failed', message: 'Gone', can_retry: false, retry_after_ms: 1.5 },
    { output: { error: { message: 'Gone', can_retry: false, retry_after_ms: 2 } } },
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
      output: {
        error: {
          message: 'The output does not match the output schema',
          developer_message: 'Too long; /b/c: Must be a number',
          can_retry: false,
        },
      },
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
    { status: 422, message: 'The definition is not valid', detail: 'Too long; /b/c: Is required' },
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
      output: {
        error: {
          message: 'The tool asks for more input, and the Open Tool Calling RFC has no way to give it',
          developer_message: 'It can be answered through /mcp:\n- name: Who?\n- roots: roots/list',
          can_retry: false,
        },
      },
    },
  ],
]

describe('a failure', () => {
  it.each(Object.values(FAILURES))('of type $type is worded in full', (failure) => {
    expect(toFailureResponse(failure)).toEqual(SAID[failure.type])
  })

  it.each(VARIANTS)('like %j is', (failure, said) => {
    expect(toFailureResponse(failure)).toEqual(said)
  })
})

it('cuts ids that are long', () => {
  const asked = 'x'.repeat(201)
  const cut = 'x'.repeat(200)
  expect(toFailureResponse({ type: 'id-malformed', asked })).toMatchObject({
    output: { error: { message: `'${cut}' names no tool` } },
  })
  expect(toFailureResponse({ type: 'tool-unknown', asked, suggestions: [] })).toMatchObject({
    output: { error: { message: `Tool '${cut}' was not found` } },
  })
})
