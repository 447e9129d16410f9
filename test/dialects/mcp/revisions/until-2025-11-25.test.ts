import { createBudget } from '../../../../src/core/tool/budget.ts'
import { describe, expect, it } from 'vitest'
import { ADMIN } from '../../../../src/core/access/principal.ts'
import type { Failure } from '../../../../src/core/failure/failure.ts'
import { formatFailure } from '../../../../src/dialects/mcp/failure.ts'
import { revisionsUntil2025, VERSIONS_UNTIL_2025 } from '../../../../src/dialects/mcp/revisions/until-2025-11-25.ts'
import { record } from '../set-up.ts'

const revision = revisionsUntil2025({ name: 's', title: 'S', version: '1' })
const url = 'https://x.example/a'
const MISSING: Failure = {
  type: 'requirements-missing',
  tool: 'Kit.echo',
  authorization: [
    { id: 'google', authorization: 'a1', url, scopes: [], status: 'not_started' },
    { id: 'github', url, scopes: [], status: 'not_started' },
  ],
  secrets: [],
  user_id: false,
  detail: 'd',
}

/** What a client is asked for what is missing, with these capabilities and in this session. */
async function ask(failure: Failure, capabilities: object, session?: string) {
  const headers = session === undefined ? {} : { 'mcp-session-id': session }
  const call = { kind: 'call', name: 'echo', input: {}, wantsLogs: false } as const
  const request = new Request('http://localhost/mcp', { headers })
  const meta = { 'io.modelcontextprotocol/clientCapabilities': { ...capabilities } }
  const roundTrip = await revision.startRoundTrip(call, {
    request,
    authorize: () => expect.unreachable(),
    capabilities: revision.getClientCapabilities({ _meta: meta }, request),
    principal: ADMIN,
    budget: createBudget(Infinity),
    background: () => undefined,
    memory: { growAnswer: async () => true },
    toolset: { search: false, select: false, bare: false, patterns: undefined, names: [], exposedNames: [] },
  })
  return roundTrip.kind === 'round-trip' ? roundTrip.requestInput(failure) : roundTrip
}

describe('a client of 2025-11-25 that can show URLs', () => {
  const asked = {
    kind: 'error',
    code: -32042,
    message: formatFailure(MISSING),
    data: {
      elicitations: [
        { mode: 'url', message: "Authorize 'google' so that 'Kit.echo' can continue", url, elicitationId: 'a1' },
        { mode: 'url', message: "Authorize 'github' so that 'Kit.echo' can continue", url, elicitationId: url },
      ],
    },
    status: 200,
  }

  it('requests each consent by an error if the session or the call declares URL elicitation', async () => {
    expect(await ask(MISSING, {}, 'x.elicitation-url')).toEqual(asked)
    expect(await ask(MISSING, { elicitation: { url: {} } })).toEqual(asked)
  })

  it('requests nothing if no person can help or the client cannot show URLs', async () => {
    expect(await ask({ type: 'cancelled' }, {}, 'x.elicitation-url')).toBeUndefined()
    expect(await ask({ ...MISSING, secrets: [{ id: 'KEY' }] }, {}, 'x.elicitation-url')).toBeUndefined()
    expect(await ask({ ...MISSING, user_id: true }, {}, 'x.elicitation-url')).toBeUndefined()
    for (const session of [undefined, '', '.elicitation-url.x']) expect(await ask(MISSING, {}, session)).toBeUndefined()
    expect(await ask(MISSING, { elicitation: {} }, 'x.elicitation-url')).toBeUndefined()
  })
})

describe('a tool in lists of revisions before 2026', () => {
  it.each([
    [null, undefined],
    [true, undefined],
    [{}, undefined],
    [{ type: 'object' }, { type: 'object' }],
    [false, { type: 'object', properties: { result: { not: {} } }, required: ['result'] }],
    [{ type: 'array' }, { type: 'object', properties: { result: { type: 'array' } }, required: ['result'] }],
  ])('lists a tool with the output %j with the schema %j', (output, outputSchema) => {
    expect(revision.encodeTool(record('a', { output, _meta: { x: 1 } }), 'b')).toEqual({
      name: 'b',
      description: 'What a does',
      inputSchema: { type: 'object', properties: {} },
      outputSchema,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
      _meta: { 'x': 1, 'dev.switchboard/id': 'Kit.a@1.0.0' },
    })
  })

  it('moves the references of a wrapped schema, but not those in values', () => {
    const output = {
      type: 'array',
      items: { $ref: '#/$defs/a' },
      $defs: {
        a: { $dynamicRef: '#', default: { $ref: '#/x' } },
        b: { $ref: '#anchor' },
        c: { $id: 'https://x.example/c', items: { $ref: '#/x' } },
        d: { $id: '#d', items: { $ref: '#' } },
        $ref: true,
      },
    }
    expect(revision.encodeTool(record('a', { output }), 'a')).toMatchObject({
      outputSchema: {
        properties: {
          result: {
            items: { $ref: '#/properties/result/$defs/a' },
            $defs: {
              a: { $dynamicRef: '#/properties/result', default: { $ref: '#/x' } },
              b: { $ref: '#anchor' },
              c: { $id: 'https://x.example/c', items: { $ref: '#/x' } },
              d: { $id: '#d', items: { $ref: '#/properties/result' } },
              $ref: {},
            },
          },
        },
      },
    })
  })

  it('lists five versions, the newest first', () => {
    expect(VERSIONS_UNTIL_2025).toEqual(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'])
  })
})
