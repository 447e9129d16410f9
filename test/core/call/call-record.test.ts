import { toIdRef } from '../../../src/core/tool/tool-ref.ts'
import { expect, it } from 'vitest'
import { ADMIN } from '../../../src/core/access/principal.ts'
import { fail } from '../../../src/core/failure/failure.ts'
import { type CallFacts, toLoggedToolId, createCallRecord } from '../../../src/core/call/call-record.ts'
import { recordWith } from './fakes.ts'

const found = { ...recordWith({}), digest: 'd1' }
const CHALLENGE = {
  id: 'google',
  url: 'https://switchboard.test/authorize',
  scopes: [],
  status: 'not_started',
} as const
const TRACEPARENT = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`

it('a record has who called what, and the outcome', () => {
  const call = { toolRef: toIdRef('example.tool'), traceId: 't1', input: { secret: 1 } }
  const caller = { principal: { ...ADMIN, name: 'the boss' }, traceparent: TRACEPARENT, dialect: 'mcp' }
  expect(
    createCallRecord(
      'c1',
      call,
      caller,
      { knownTool: found, userId: 'ann', upstreamStatus: 201 },
      { ok: true },
      { at: 5, durationMs: 12 },
    ),
  ).toStrictEqual({
    at: 5,
    call_id: 'c1',
    trace_id: 't1',
    traceparent: TRACEPARENT,
    principal: 'admin',
    principal_name: 'the boss',
    user_id: 'ann',
    tool: 'Example.Tool@1.0.0',
    digest: 'd1',
    dialect: 'mcp',
    upstream_status: 201,
    outcome: 'success',
    duration_ms: 12,
  })
})

it('a record leaves out missing fields, and names a failure', () => {
  const result = fail({ type: 'tool-unknown', ref: 'x', suggestions: [] })
  const record = createCallRecord(
    'c1',
    { toolRef: toIdRef('Example.Toll'), input: {} },
    { principal: ADMIN, dialect: 'oxp' },
    {},
    result,
    {
      at: 5,
      durationMs: 0,
    },
  )
  expect(JSON.parse(JSON.stringify(record))).toStrictEqual({
    at: 5,
    call_id: 'c1',
    principal: 'admin',
    tool: 'Example.Toll',
    dialect: 'oxp',
    outcome: 'tool-unknown',
    duration_ms: 0,
  })
})

it('arguments are recorded if the principal wants that, without secrets', () => {
  const call = { toolRef: toIdRef('example.tool'), input: { to: 'ann', password: 'p' } }
  const record = (recordsArguments: boolean, findings: CallFacts) =>
    createCallRecord(
      'c1',
      call,
      { principal: { ...ADMIN, recordsArguments }, dialect: 'oxp' },
      findings,
      { ok: true },
      { at: 5, durationMs: 0 },
    )
  expect(record(true, { knownTool: found, authorizedTool: found }).arguments).toEqual({
    to: '<3 characters>',
    password: '[redacted]',
  })
  expect(record(false, { knownTool: found, authorizedTool: found })).not.toHaveProperty('arguments')
  expect(record(true, { knownTool: found })).not.toHaveProperty('arguments')
})

it('a tool is named by its id, or by the beginning of the requested name', () => {
  expect(toLoggedToolId(toIdRef('example.tool'), found)).toBe('Example.Tool@1.0.0')
  const failure = {
    type: 'version-unavailable',
    tool: 'Example.Tool',
    name: 'Tool',
    range: '^2',
    available: [],
  } as const
  expect(toLoggedToolId(toIdRef('example.tool@^2'), undefined, fail(failure))).toBe('Example.Tool')
  expect(toLoggedToolId(toIdRef('x'.repeat(200)), undefined)).toBe('x'.repeat(200))
  expect(toLoggedToolId(toIdRef('x'.repeat(201)), undefined)).toBe('x'.repeat(200))
})

it.each([
  ['consent-required', {}],
  ['requirements-missing', { secrets: [{ id: 'KEY' }] }],
  ['requirements-missing', { tokens: [{ id: 'google' }] }],
  ['requirements-missing', { user_id: true }],
  ['requirements-missing', { authorization: [] }],
  ['requirements-missing', { authorization: [{ ...CHALLENGE, needsSetup: true as const }] }],
])('a call waits for a person, %s, only if nothing else is missing than %o', (outcome, missing) => {
  const result = fail({
    type: 'requirements-missing',
    tool: 'Example.Tool',
    authorization: [CHALLENGE],
    secrets: [],
    user_id: false,
    detail: '',
    ...missing,
  })
  const call = { toolRef: toIdRef('Example.Tool'), input: {} }
  const record = createCallRecord('c1', call, { principal: ADMIN, dialect: 'oxp' }, {}, result, {
    at: 5,
    durationMs: 0,
  })
  expect(record.outcome).toBe(outcome)
})
