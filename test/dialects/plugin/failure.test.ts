import { describe, expect, it } from 'vitest'
import type { Failure, FailureType } from '../../../src/core/failure/failure.ts'
import { formatPluginFailure } from '../../../src/dialects/plugin/failure.ts'
import { FAILURES } from '../machine-context/failures.ts'

/** What is said of each failure: a new one does not compile until it stands here. */
const SAID: Readonly<Record<FailureType, unknown>> = {
  'request-malformed': 'Bad field. Wanted another',
  'body-timed-out': 'The body did not arrive in time: send the request again, with all of its body',
  'body-too-large': 'The body is larger than 10 bytes',
  'media-type-unsupported': "Send the body as 'application/json', got 'text/plain'",
  'protocol-version-unsupported': "The protocol version '9' is not supported: wanted '1.0'",
  'misdirected': 'It is elsewhere',
  'route-unknown': "There is nothing at '/x'",
  'method-not-allowed': "'PUT' is not allowed here: wanted GET, POST",
  'unauthenticated': 'No credential',
  'forbidden': 'Not yours',
  'rate-limited': 'Too many requests: try again in 2 seconds',
  'id-malformed': "'a b' is not a tool's name, which is 1 to 64 of the characters A-Z, a-z, 0-9, _ and -",
  'tool-unknown': "Tool 'Kit.Tol' was not found: did you mean 'Kit.Tool'?",
  'version-unavailable': "Version '^9' of tool 'Kit.Tool' is not available: there is '1.0.0'",
  'tool-disabled': "Tool 'Kit.Tool@1.0.0' is disabled",
  'tool-not-executable': "Tool 'Kit.Tool@1.0.0' cannot be called here: No implementation",
  'tool-untrusted': `Tool 'Kit.Tool@1.0.0' is not trusted with the secret 'KEY': it was published with a key that does not name it or its toolkit: the caller can send its own credentials, or the operator can trust the tool`,
  'requirements-missing': "Tool 'Kit.Tool' needs something more before it can be called: No grant",
  'approval-required':
    'A person must approve this call first: Level 8\nTo approve it, open https://here/approve and then call again',
  'input-invalid': "Some arguments are invalid: 'b': Is required; The arguments: Too many",
  'tool-failed': 'No such mailbox\nAsk for another\nTry again in 2 seconds',
  'tool-timed-out': 'The tool did not answer within 30 seconds',
  'output-invalid': "The output does not match the output schema: 'sum': Must be a number",
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
    "The tool asks for more input, and a plugin's call has no way to give it\n- city: elicitation/create",
  'definition-invalid': "The definition is not valid: 'id': Is required",
  'conflict': 'Taken',
  'precondition-failed': 'Changed',
  'not-found': 'Gone',
  'gone': 'No longer',
  'unavailable': 'Storage is away',
  'internal': "Something went wrong on our side (reference 'r1')",
}

/** The same failures with more in them, or less. */
const VARIANTS: readonly (readonly [Failure, unknown])[] = [
  [{ type: 'request-malformed', message: 'Bad field' }, 'Bad field'],
  [
    { type: 'media-type-unsupported', got: null, wanted: 'application/json' },
    "Send the body as 'application/json', got 'no content type'",
  ],
  [
    { type: 'tool-unknown', asked: 'Kit.Tol', suggestions: [] },
    "Tool 'Kit.Tol' was not found: describe lists the tools there are",
  ],
  [
    { type: 'tool-unknown', asked: 'Kit.Tol', suggestions: ['Kit.A', 'Kit.B'] },
    "Tool 'Kit.Tol' was not found: did you mean 'Kit.A', 'Kit.B'?",
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
    "Tool 'Kit.Tool' needs something more before it can be called: No user",
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
    "Tool 'Kit.Tool' needs something more before it can be called: No provider",
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
    "Tool 'Kit.Tool' needs something more before it can be called: No grant\nTo authorize 'google', open https://here/start and then call again",
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
    "Some arguments are invalid: 'b/0': Is wrong; 'b': Is short; 'c': Is required",
  ],
  [
    {
      type: 'input-invalid',
      problems: [
        { path: '', message: 'Too many' },
        { path: '', message: 'Too deep' },
      ],
    },
    'Some arguments are invalid: The arguments: Too many; The arguments: Too deep',
  ],
  [{ type: 'tool-failed', message: 'No such mailbox' }, 'No such mailbox'],
  [{ type: 'tool-failed', message: 'Gone', can_retry: false, retry_after_ms: 1.5 }, 'Gone\nTry again in 0.002 seconds'],
  [
    { type: 'tool-failed', message: 'Busy', developer_message: 'Busy', additional_prompt_content: 'Wait' },
    'Busy\nWait',
  ],
  [
    {
      type: 'output-invalid',
      problems: [
        { path: '', message: 'Too long' },
        { path: '/b/c', message: 'Must be a number' },
      ],
    },
    "The output does not match the output schema: The output: Too long; 'b/c': Must be a number",
  ],
  [
    {
      type: 'definition-invalid',
      problems: [
        { path: '', message: 'Too long' },
        { path: '/b/c', message: 'Is required' },
      ],
    },
    "The definition is not valid: The definition: Too long; 'b/c': Is required",
  ],
  [
    {
      type: 'input-required',
      requests: {
        name: { method: 'elicitation/create', params: { message: 'Who?' } },
        roots: { method: 'roots/list', params: {} },
      },
    },
    "The tool asks for more input, and a plugin's call has no way to give it\n- name: Who?\n- roots: roots/list",
  ],
]

describe('a failure', () => {
  it.each(Object.values(FAILURES))('of type $type is worded in full', (failure) => {
    expect(formatPluginFailure(failure)).toEqual(SAID[failure.type])
  })

  it.each(VARIANTS)('like %j is', (failure, said) => {
    expect(formatPluginFailure(failure)).toEqual(said)
  })
})

it('cuts ids that are long', () => {
  const asked = 'x'.repeat(201)
  const cut = 'x'.repeat(200)
  expect(formatPluginFailure({ type: 'id-malformed', asked })).toMatch(new RegExp(`^'${cut}' is not a tool's name`))
  expect(formatPluginFailure({ type: 'tool-unknown', asked, suggestions: [] })).toBe(
    `Tool '${cut}' was not found: describe lists the tools there are`,
  )
})
