import { toIdRef, toRefKey } from '../../../src/core/tool/tool-ref.ts'
import { createBudget } from '../../../src/core/tool/budget.ts'
import { startDeadline } from '../../../src/compose/platform.ts'
import { ADMIN, type Principal } from '../../../src/core/access/principal.ts'
import type { Candidate } from '../../../src/core/call/tool-candidates.ts'
import type { Approvals, AuthorizationChallenge } from '../../../src/core/consent/authorization.ts'
import { type CallableTool, createCallableTool } from '../../../src/core/call/callable-tool.ts'
import { type RecordResolver, type Resolver, withViews } from '../../../src/core/call/resolve-tool.ts'
import type { CallDeps } from '../../../src/core/call/call.ts'
import type { CallRequest, Caller } from '../../../src/core/call/call-request.ts'
import { fail } from '../../../src/core/failure/failure.ts'
import type { IdempotencyRecords } from '../../../src/core/call/idempotency.ts'
import type { CallRecord } from '../../../src/core/call/call-record.ts'
import type { TokenQuery, TokenResult } from '../../../src/core/call/user-tokens.ts'
import type { Run } from '../../../src/core/call/runner.ts'
import type { Publisher, ToolRecord } from '../../../src/core/tool/tool.ts'
import { definitionWith, recordOf } from '../../runners/http/records.ts'

/** Adapts a resolver for callers without views. */
export function withoutViews(resolver: RecordResolver): Resolver {
  return withViews(resolver, () => Promise.reject(new Error('Nobody has a view here')))
}

/** The URL with which the fake caller reached the fake deployment. */
export const REACHED_AT = 'https://edge.example/tools/call?x=1'

export const challengeOf = (id: string): AuthorizationChallenge => ({
  id,
  authorization: `of-${id}`,
  url: `https://edge.example/authorizations/of-${id}/start`,
  check_url: `https://edge.example/authorizations/of-${id}`,
  scopes: ['mail'],
  status: 'not_started',
})

export interface Needs {
  readonly secrets?: readonly string[]
  readonly providers?: readonly string[]
  readonly user_id?: boolean
  readonly securityLevel?: number
}

/** Creates a tool with these requirements. */
export function recordWith({ user_id = false, securityLevel = 0, ...needs }: Needs): ToolRecord {
  const record = recordOf(definitionWith(['a'], needs), { kind: 'bundled' })
  return { ...record, securityLevel, requirements: { ...record.requirements, user_id } }
}

export function callableOf(record: ToolRecord, run: Run, timeoutMs = 10_000): CallableTool {
  return createCallableTool({
    record,
    runnable: { ok: true, run, timeoutMs },
    validateInput: (input) => (Object(input).a === 'bad' ? [{ path: '/a', message: 'Is bad' }] : []),
    validateOutput: (value) => (value === 'bad' ? [{ path: '', message: 'Is bad' }] : []),
  })
}

export interface World {
  /** The only tool: `Example.Tool`. */
  readonly tool?: CallableTool
  /** Return a user's token at a provider, first or renewed; by default, the provider's id with `-1` or `-2`. */
  readonly tokenFor?: (asking: TokenQuery) => TokenResult | Promise<TokenResult>
  readonly renew?: (asking: TokenQuery, refused: string, final: boolean) => TokenResult | Promise<TokenResult>
  readonly claim?: (asking: Parameters<Approvals['claim']>[0]) => ReturnType<Approvals['claim']>
  readonly secretOf?: (id: string) => string | undefined
  readonly idempotencyRecords?: IdempotencyRecords
  readonly publisher?: Publisher
  /** The tools that a bare name may mean. */
  readonly candidates?: readonly Candidate[]
}

/** The publisher of the tests' tools. */
export const PUBLISHER: Publisher = { principal: 'key:trusted', trusted: true }

/** Creates the dependencies of a call, and records their use and the log. */
export function worldOf({
  tool,
  candidates = [],
  publisher = PUBLISHER,
  tokenFor,
  renew,
  claim,
  secretOf,
  idempotencyRecords,
}: World = {}) {
  const asked: string[] = []
  const defects: string[] = []
  const records: CallRecord[] = []
  const spans: [name: string, attributes: Readonly<Record<string, string>>][] = []
  let time = 1_000
  const deps: CallDeps = {
    resolver: {
      resolve: (ref) =>
        tool && toRefKey(ref) === 'Example.Tool'
          ? { ok: true, tool, status: { state: 'active' }, publisher }
          : fail({ type: 'tool-unknown', ref: toRefKey(ref), suggestions: [] }),
      suggest: () => [],
      invalidate: () => undefined,
    },
    findCandidates: () => candidates,
    now: () => (time += 5),
    holdFiles: async () => () => undefined,
    newId: () => 'made',
    writeRecord: (record) => void records.push(record),
    toolSecrets: {
      isGranted: () => true,
      secretFor(id) {
        const value = secretOf?.(id)
        return value === undefined ? { missing: `No '${id}'` } : { value }
      },
      formatGrantAdvice: (id) => `No '${id}'`,
    },
    span: (name, attributes, work) => {
      spans.push([name, attributes])
      return work()
    },
    userTokens: {
      async tokenFor(asking) {
        asked.push(`token ${asking.userId} ${asking.requirement.id}`)
        return tokenFor ? tokenFor(asking) : { token: `${asking.requirement.id}-1`, account: asking.account ?? '' }
      },
      async renew(asking, refused, final) {
        asked.push(`renew ${asking.userId} ${asking.requirement.id} ${refused}${final ? ' final' : ''}`)
        return renew ? renew(asking, refused, final) : { token: `${asking.requirement.id}-2`, account: '' }
      },
    },
    approvals: {
      async claim(asking) {
        const { principal, user, input } = asking.invocation
        asked.push(`approval ${principal} ${user} ${JSON.stringify(input)}`)
        return claim ? claim(asking) : { approved: true }
      },
    },
    artifacts: { put: async () => ({ ok: false, why: 'nothing is kept' }), open: async () => 'missing' },
    callLimiter: { take: () => ({ end: () => [] }) },
    uploads: { find: async () => undefined },
    idempotencyRecords: idempotencyRecords ?? {
      claim: async () => ({ state: 'claimed', settle: async () => undefined }),
    },
    inlineBytes: { program: 262_144, model: 262_144 },
    startDeadline,
    fingerprint: async (value) => JSON.stringify(value),
    base64: (text) => Buffer.from(text).toString('base64'),
    defect: (callId, tool, message) => void defects.push(`${callId} ${tool}: ${message}`),
  }
  return { deps, asked, defects, records, spans }
}

export interface Given {
  readonly input?: CallRequest['input']
  readonly userId?: string
  readonly tokens?: Readonly<Record<string, string>>
  readonly secrets?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  readonly cancelOnDisconnect?: boolean
  readonly principal?: Principal
}

export function callWith({ input = {}, userId, tokens = {}, secrets = {} }: Given = {}): CallRequest & {
  readonly callId: string
} {
  return {
    toolRef: toIdRef('Example.Tool'),
    callId: 'call',
    input,
    context: {
      tokens: new Map(Object.entries(tokens)),
      secrets: new Map(Object.entries(secrets)),
      ...(userId === undefined ? {} : { userId }),
    },
  }
}

export function callerWith({ signal, cancelOnDisconnect = false, principal = ADMIN }: Given = {}): Caller {
  return {
    principal,
    dialect: 'oxp',
    audience: 'program',
    background: () => undefined,
    signal: () => signal,
    cancelOnDisconnect,
    requestUrl: () => REACHED_AT,
    budget: createBudget(Infinity),
  }
}
