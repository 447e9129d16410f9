import { expect, it } from 'vitest'
import type { Failure } from '../../../src/core/failure/failure.ts'
import {
  callHeaders,
  failureHeaders,
  jsonFailure,
  jsonTextResponse,
  noteHeader,
  statusHeaders,
} from '../../../src/http/response/json-response.ts'
import { OUTCOME_STATUS, HTTP_STATUS } from '../../../src/http/response/failure-status.ts'

it('a note is a valid header of limited length, whatever text it has', () => {
  const { 'switchboard-note': note = '' } = noteHeader(`a\r\nset-cookie: b é ${'x'.repeat(2_000)}`)
  expect(note).toMatch(/^a\?\?set-cookie: b \? x+$/)
  expect(note).toHaveLength(1_000)
  expect(new Headers(noteHeader('No tool')).get('Switchboard-Note')).toBe('No tool')
})

const POLICY = { name: 'key', quota: 10, seconds: 60 }

it.each<[Failure, Record<string, string> | undefined]>([
  [{ type: 'unauthenticated', reason: '' }, { 'www-authenticate': 'Bearer realm="switchboard"' }],
  [{ type: 'unavailable', message: '' }, { 'retry-after': '1' }],
  [{ type: 'method-not-allowed', allowed: ['GET', 'HEAD'] } as never, { allow: 'GET, HEAD' }],
  [{ type: 'rate-limited', retry_after_ms: 1_001 }, { 'retry-after': '2' }],
  [
    { type: 'rate-limited', retry_after_ms: 1_001, policy: POLICY } as never,
    { 'retry-after': '2', 'ratelimit-policy': '"key";q=10;w=60', 'ratelimit': '"key";r=0;t=2' },
  ],
  [{ type: 'forbidden', reason: '' }, undefined],
])('a failure %j has the headers %j', (failure, headers) => {
  expect(failureHeaders(failure)).toEqual(headers)
})

it('the remaining limits of a call are sent with its response', () => {
  expect(callHeaders({})).toBeUndefined()
  expect(callHeaders({}, { a: 'b' })).toEqual({ a: 'b' })
  const limitStatuses = [
    { ...POLICY, remaining: 9, resetMs: 1_500 },
    { name: 'tool', quota: 2, seconds: undefined, remaining: 1, resetMs: undefined },
  ]
  expect(callHeaders({ limitStatuses } as never, { a: 'b' })).toEqual({
    'a': 'b',
    'ratelimit-policy': '"key";q=10;w=60, "tool-at-once";q=2;qu="concurrent-requests"',
    'ratelimit': '"key";r=9;t=2, "tool-at-once";r=1',
  })
})

it('a call of an inactive tool reports the status and the successor with its response', () => {
  const tool = { id: 'A.B@1.0.0' } as never
  const status = { state: 'deprecated', message: 'Old', successor: 'A.C@^2' } as const
  expect(statusHeaders({ state: 'active' })).toEqual({})
  expect(callHeaders({ status: { state: 'yanked' }, tool }, { a: 'b' })).toEqual({
    'a': 'b',
    'switchboard-status': 'yanked',
    'switchboard-note': "'A.B@1.0.0' is yanked",
  })
  expect(callHeaders({ status, tool })).toEqual({
    'switchboard-status': 'deprecated',
    'link': '</tools/A.C%40%5E2>; rel="successor-version"',
    'switchboard-note': "'A.B@1.0.0' is deprecated: Old; use A.C@^2",
  })
})

it('a response is JSON with its status and headers, and a failure is private', async () => {
  const seen = async (response: Response) => [
    response.status,
    Object.fromEntries(response.headers),
    await response.text(),
  ]
  const type = { 'content-type': 'application/json' }
  expect(await seen(jsonTextResponse('1'))).toEqual([200, type, '1'])
  expect(await seen(jsonTextResponse('1', 201))).toEqual([201, type, '1'])
  expect(await seen(jsonTextResponse('1', 200, { a: 'b' }))).toEqual([200, { ...type, a: 'b' }, '1'])
  expect(await seen(jsonFailure({ type: 'unavailable', message: '' }, '{}', 503, { a: 'b' }))).toEqual([
    503,
    {
      ...type,
      'a': 'b',
      'retry-after': '1',
      'cache-control': 'private, no-cache',
      'vary': 'Authorization, OXP-API-Key, OXP-Version',
    },
    '{}',
  ])
})

it('the outcome of a call has status 200, and an invalid request does not', () => {
  expect(new Set(Object.values(OUTCOME_STATUS))).toEqual(new Set([200]))
  expect(Math.min(...Object.values(HTTP_STATUS))).toBe(400)
})
