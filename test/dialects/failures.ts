import type { Failure, FailureType } from '../../src/core/failure/failure.ts'

/** One failure of each type: a new one does not compile until it stands here. */
export const FAILURES: { readonly [T in FailureType]: Extract<Failure, { type: T }> } = {
  'request-malformed': { type: 'request-malformed', message: 'Bad field', detail: 'Wanted another' },
  'body-timed-out': { type: 'body-timed-out' },
  'body-too-large': { type: 'body-too-large', limit: 10 },
  'media-type-unsupported': {
    type: 'media-type-unsupported',
    contentType: 'text/plain',
    acceptedType: 'application/json',
  },
  'protocol-version-unsupported': { type: 'protocol-version-unsupported', version: '9', supported: '1.0' },
  'misdirected': { type: 'misdirected', message: 'It is elsewhere' },
  'route-unknown': { type: 'route-unknown', method: 'GET', path: '/x' },
  'method-not-allowed': { type: 'method-not-allowed', method: 'PUT', allowed: ['GET', 'POST'] },
  'unauthenticated': { type: 'unauthenticated', reason: 'No credential' },
  'forbidden': { type: 'forbidden', reason: 'Not yours' },
  'rate-limited': { type: 'rate-limited', retry_after_ms: 1500 },
  'id-malformed': { type: 'id-malformed', ref: 'a b' },
  'tool-unknown': { type: 'tool-unknown', ref: 'Kit.Tol', suggestions: ['Kit.Tool'] },
  'version-unavailable': {
    type: 'version-unavailable',
    tool: 'Kit.Tool',
    name: 'Tool',
    range: '^9',
    available: ['1.0.0'],
  },
  'tool-disabled': { type: 'tool-disabled', id: 'Kit.Tool@1.0.0' },
  'tool-renamed': { type: 'tool-renamed', ref: 'Kit.Tool', id: 'Kit.New', name: 'Kit_New' },
  'tool-changed': { type: 'tool-changed', id: 'Kit.Tool@1.0.0', detail: 'its locked version is gone' },
  'tool-not-executable': { type: 'tool-not-executable', id: 'Kit.Tool@1.0.0', reason: 'No implementation' },
  'tool-untrusted': { type: 'tool-untrusted', id: 'Kit.Tool@1.0.0', credentials: ["the secret 'KEY'"] },
  'requirements-missing': {
    type: 'requirements-missing',
    tool: 'Kit.Tool',
    authorization: [
      {
        id: 'google',
        authorization: 'a1',
        url: 'https://here/start',
        check_url: 'https://here/check',
        scopes: ['mail'],
        status: 'pending',
      },
    ],
    secrets: [{ id: 'KEY' }],
    user_id: true,
    detail: 'No grant',
  },
  'approval-required': {
    type: 'approval-required',
    id: 'Kit.Tool@1.0.0',
    reason: 'Level 8',
    challenge: {
      id: 'approval',
      authorization: 'a2',
      url: 'https://here/approve',
      check_url: 'https://here/check/a2',
      scopes: [],
      status: 'not_started',
    },
  },
  'input-invalid': {
    type: 'input-invalid',
    problems: [
      { path: '/b', message: 'Is required' },
      { path: '', message: 'Too many' },
    ],
  },
  'tool-failed': {
    type: 'tool-failed',
    message: 'No such mailbox',
    developer_message: 'IMAP 5',
    can_retry: true,
    additional_prompt_content: 'Ask for another',
    retry_after_ms: 2000,
  },
  'tool-timed-out': { type: 'tool-timed-out', timeout_ms: 30_000 },
  'output-invalid': { type: 'output-invalid', problems: [{ path: '/sum', message: 'Must be a number' }] },
  'select-invalid': { type: 'select-invalid', message: "'b' cannot stand there", at: 3 },
  'select-failed': {
    type: 'select-failed',
    why: 'no array',
    artifact: { url: 'https://here/artifacts/a', content_type: 'text/csv', size: 9, meta: { description: 'Rows' } },
  },
  'output-elsewhere': {
    type: 'output-elsewhere',
    artifact: { url: 'https://here/artifacts/a', content_type: 'text/csv', size: 9, meta: { description: 'Rows' } },
  },
  'output-too-large': { type: 'output-too-large', limit: 10, why: 'nothing is kept here' },
  'cancelled': { type: 'cancelled' },
  'outcome-unknown': { type: 'outcome-unknown', call_id: 'c1' },
  'input-required': { type: 'input-required', requests: { city: { method: 'elicitation/create', params: {} } } },
  'definition-invalid': { type: 'definition-invalid', problems: [{ path: '/id', message: 'Is required' }] },
  'conflict': { type: 'conflict', message: 'Taken' },
  'precondition-failed': { type: 'precondition-failed', message: 'Changed' },
  'not-found': { type: 'not-found', message: 'Gone' },
  'gone': { type: 'gone', message: 'No longer' },
  'unavailable': { type: 'unavailable', message: 'Storage is away' },
  'internal': { type: 'internal', reference: 'r1' },
}

/** The same failures with more in them, or less. */
export const VARIANTS: readonly Failure[] = [
  { type: 'request-malformed', message: 'Bad field' },
  { type: 'body-too-large', limit: 10, size: 12 },
  { type: 'media-type-unsupported', contentType: null, acceptedType: 'application/json' },
  { type: 'unauthenticated', reason: 'No credential', suggestions: ['Kit.Tool'] },
  { type: 'tool-unknown', ref: 'Kit.Tol', suggestions: [] },
  { type: 'tool-unknown', ref: 'Kit.Tol', suggestions: ['Kit.A', 'Kit.B'] },
  { type: 'version-unavailable', tool: 'Kit.Tool', name: 'Tool', range: '^9', available: [] },
  { type: 'version-unavailable', tool: 'Kit.Tool', name: 'Tool', range: '^9', available: ['1.0.0', '2.0.0'] },
  {
    type: 'version-unavailable',
    tool: 'Kit.Tool',
    name: 'Tool',
    range: '^9',
    available: ['1.0.0'],
    yanked: { version: '9.1.0', message: 'Loses mail' },
  },
  { ...missing('No user'), user_id: true },
  { ...missing('No secrets'), secrets: [{ id: 'A' }, { id: 'B' }] },
  { ...missing('No secret'), secrets: [{ id: 'A' }], user_id: true },
  {
    ...missing('No provider'),
    authorization: [{ id: 'google', url: 'https://here/start', scopes: [], status: 'not_started', needsSetup: true }],
  },
  {
    ...missing('No grant'),
    authorization: [{ id: 'google', url: 'https://here/start', scopes: ['mail'], status: 'not_started' }],
  },
  {
    type: 'input-invalid',
    problems: [
      { path: '/b/0', message: 'Is wrong' },
      { path: '/b', message: 'Is short' },
      { path: '/c', message: 'Is required' },
    ],
  },
  {
    type: 'input-invalid',
    problems: [
      { path: '', message: 'Too many' },
      { path: '', message: 'Too deep' },
    ],
  },
  { type: 'tool-failed', message: 'No such mailbox' },
  { type: 'tool-failed', message: 'Busy', can_retry: true },
  { type: 'tool-failed', message: 'Gone', can_retry: false, retry_after_ms: 1.5 },
  { type: 'tool-failed', message: 'Busy', developer_message: 'Busy', additional_prompt_content: 'Wait' },
  { type: 'tool-timed-out', timeout_ms: 1000, may_have_run: true },
  {
    type: 'output-invalid',
    problems: [
      { path: '', message: 'Too long' },
      { path: '/b/c', message: 'Must be a number' },
    ],
  },
  { type: 'select-invalid', message: "'b' cannot stand there" },
  { type: 'select-failed', why: 'no array' },
  { type: 'cancelled', may_have_run: true },
  {
    type: 'input-required',
    requests: {
      name: { method: 'elicitation/create', params: { message: 'Who?' } },
      roots: { method: 'roots/list', params: {} },
    },
  },
  {
    type: 'definition-invalid',
    problems: [
      { path: '', message: 'Too long' },
      { path: '/b/c', message: 'Is required' },
    ],
  },
]

function missing(detail: string) {
  return {
    type: 'requirements-missing',
    tool: 'Kit.Tool',
    authorization: [],
    secrets: [],
    user_id: false,
    detail,
  } as const
}
