import { expect, it } from 'vitest'
import {
  accepted,
  artifact,
  ask,
  type BundledTool,
  content,
  type ToolContext,
} from '../../../src/core/tool/define-tool.ts'
import { createBundledRunner } from '../../../src/runners/bundled/runner.ts'
import { contextWith, definitionWith, type Given, invocationWith, recordOf } from '../http/records.ts'

const record = { ...recordOf(definitionWith([]), { kind: 'bundled' }), digest: 'd1' }

function runner(handler: BundledTool['handler'], digest = 'd1') {
  const logged: string[] = []
  const tool: BundledTool = { version: '1.0.0', description: '', input: { type: 'object' }, output: {}, handler }
  const made = createBundledRunner({
    bundledHandlers: new Map([[record.id, { digest, tool }]]),
    fetchFor: () => () => Promise.reject(new TypeError('No network')),
    log: (callId, message) => void logged.push(`${callId}: ${message}`),
  })
  return { ...made, logged }
}

function run(handler: BundledTool['handler'], given: Given = {}) {
  const made = runner(handler)
  const prepared = made.prepare(record)
  if (!prepared.ok) throw new Error(prepared.reason)
  return { result: prepared.run(invocationWith({}, given), contextWith(given)), logged: made.logged }
}

it('the runner of bundled tools returns what a handler returns, at once or later, and its expected failures', async () => {
  expect(run(() => 7).result).toEqual({ ok: true, value: 7 })
  expect(await run(async () => 7).result).toEqual({ ok: true, value: 7 })
  const failed = { message: 'No', can_retry: true }
  expect(run(() => ({ failed })).result).toEqual({ ok: false, failure: failed })
  expect(await run(async () => ({ failed })).result).toEqual({ ok: false, failure: failed })
})

it('the runner of bundled tools passes on the secrets and tokens of the call, and refuses an undeclared token', () => {
  const { result } = run((_, { secrets, token }) => ({ ...secrets, token: token('google') }), {
    secrets: { A: 'one' },
    tokens: { google: 'two' },
  })
  expect(result).toEqual({ ok: true, value: { A: 'one', token: 'two' } })
  expect(() => run((_, { token }) => token('github'), { tokens: { google: 'two' } })).toThrow("'github'")
})

it('the runner of bundled tools redacts and truncates what a tool logs', () => {
  const { logged } = run(
    (_, { log, secrets, token }) => {
      log(`with ${secrets['KEY' as never]} and ${token('google')}`)
      log('x'.repeat(5_000))
    },
    { secrets: { KEY: 'a-secret-value' }, tokens: { google: 'a-token-value' } },
  )
  expect(logged[0]).toBe('call: with [redacted] and [redacted]')
  expect(logged[1]).toHaveLength('call: '.length + 1_000)
})

it('the runner of bundled tools passes on content, artifacts and requests for input, and never confuses a value with one of them', () => {
  const blocks = [{ type: 'text', text: 'Hello' }] as const
  expect(run(() => content(blocks)).result).toEqual({ ok: true, value: undefined, content: blocks })
  expect(run(() => content(blocks, 7)).result).toEqual({ ok: true, value: 7, content: blocks })
  const place = { url: 'https://x.example/', content_type: 'a/b', size: 1 }
  const kept = { ...place, meta: { description: 'An a' } }
  expect(run(() => artifact({ ...place, description: 'An a' }, 'x')).result).toEqual({
    ok: true,
    value: 'x',
    artifact: kept,
  })
  const requests = { n: { method: 'roots/list', params: {} } }
  expect(run(() => ask(requests)).result).toEqual({ ok: false, asks: { requests } })
  expect(run(() => ask(requests, 1)).result).toEqual({ ok: false, asks: { requests, state: 1 } })
  for (const own of [{ content: blocks }, { asks: { requests } }, { artifact: kept }]) {
    expect(run(() => own).result).toEqual({ ok: true, value: own })
  }
})

it('the runner of bundled tools sends progress and redacted logs to the caller, if it listens', () => {
  const told: unknown[][] = []
  const context = {
    ...contextWith(),
    progress: (...progress: unknown[]) => void told.push(progress),
    log: (line: string) => void told.push([line]),
  }
  const handler: BundledTool['handler'] = (_, { progress, log }) => {
    progress(1)
    progress(2, 3, 'halfway')
    log('and a-secret-value')
  }
  const prepared = runner(handler).prepare(record)
  if (prepared.ok) prepared.run(invocationWith({}, { secrets: { KEY: 'a-secret-value' } }), context)
  expect(told).toEqual([[1, undefined, undefined], [2, 3, 'halfway'], ['and [redacted]']])
  expect(run(handler).result).toEqual({ ok: true, value: undefined })
})

it('the runner of bundled tools passes on the responses, and the accepted content of one', () => {
  const answers = {
    responses: { n: { action: 'accept', content: { name: 'Ann' } }, no: { action: 'decline' } },
    state: 1,
  }
  const prepared = runner((_, context) => context.answers).prepare(record)
  const invocation = { ...invocationWith({}), answers }
  expect(prepared.ok && prepared.run(invocation, contextWith())).toEqual({ ok: true, value: answers })
  expect(accepted(answers.responses.n)).toEqual({ name: 'Ann' })
  for (const none of [answers.responses.no, undefined, 1, { action: 'accept' }]) expect(accepted(none)).toBeUndefined()
})

it('the runner of bundled tools gives the new token once one was renewed, and redacts both', async () => {
  const logged: string[] = []
  const made = createBundledRunner({
    bundledHandlers: new Map([
      [
        record.id,
        {
          digest: 'd1',
          tool: {
            version: '1.0.0',
            description: '',
            input: { type: 'object' },
            output: {},
            async handler(_: unknown, { fetch, token, log }: ToolContext) {
              const before = token('mail')
              const { status } = await fetch('https://api.example/', { headers: { authorization: before } })
              log(`from ${before} to ${token('mail')}`)
              return [status, before, token('mail')]
            },
          },
        },
      ],
    ]),
    fetchFor: () => async (input, init) => {
      const { headers, url } = new Request(input, init)
      const response = new Response(null, { status: headers.get('authorization') === 'mail-two' ? 200 : 401 })
      return Object.defineProperty(response, 'url', { value: url })
    },
    log: (_, line) => void logged.push(line),
  })
  const prepared = made.prepare(record)
  const given = { tokens: { mail: 'mail-one' }, renew: async () => 'mail-two' }
  const result = prepared.ok && prepared.run(invocationWith({}, given), contextWith(given))
  expect(await result).toEqual({ ok: true, value: [200, 'mail-one', 'mail-two'] })
  expect(logged).toEqual(['from [redacted] to [redacted]'])
})

it.each<[string, readonly string[] | undefined, Parameters<typeof definitionWith>[1], readonly string[] | undefined]>([
  ['those that it declares', ['api.example'], { providers: ['mail'] }, ['api.example']],
  ['none, where a person is to consent and it declares none', undefined, { providers: ['mail'] }, []],
  ["any, where nobody's access is asked for and it declares none", undefined, { secrets: ['KEY'] }, undefined],
  ['those that it declares, without a credential too', ['api.example'], {}, ['api.example']],
])('the runner of bundled tools has hosts: %s', async (_, hosts, needs, expected) => {
  const handler: BundledTool['handler'] = (_input, { fetch }) => fetch('https://api.example/').catch(() => 1)
  const tool: BundledTool = {
    version: '1.0.0',
    description: '',
    input: { type: 'object' },
    output: {},
    hosts,
    handler,
  }
  const given: unknown[] = []
  const asking = { ...recordOf(definitionWith([], needs), { kind: 'bundled' }), digest: 'd1' }
  const prepared = createBundledRunner({
    bundledHandlers: new Map([[asking.id, { digest: asking.digest, tool }]]),
    fetchFor(each) {
      given.push(each.hosts)
      return () => Promise.reject(new TypeError('No network'))
    },
    log: () => undefined,
  }).prepare(asking)
  if (!prepared.ok) throw new Error(prepared.reason)
  await prepared.run(invocationWith({}), contextWith())
  expect([given, prepared.hosts]).toEqual([[expected], expected])
})

it('the runner of bundled tools binds requests to its tool and caller, and ends them with the call', async () => {
  const made: unknown[] = []
  const signals: (AbortSignal | undefined)[] = []
  const handler: BundledTool['handler'] = async (_, { fetch }) => {
    const own = new AbortController().signal
    await fetch('https://api.example/')
    await fetch('https://api.example/', { signal: own })
    await fetch(new Request('https://api.example/', { signal: own }), { method: 'PUT' })
  }
  const tool: BundledTool = { version: '1.0.0', description: '', input: { type: 'object' }, output: {}, handler }
  const prepared = createBundledRunner({
    bundledHandlers: new Map([[record.id, { digest: record.digest, tool }]]),
    fetchFor(given) {
      made.push(given)
      return async (_, init) => {
        signals.push(init?.signal ?? undefined)
        return new Response()
      }
    },
    log: () => undefined,
  }).prepare(record)
  if (!prepared.ok) throw new Error(prepared.reason)
  const call = new AbortController()
  await prepared.run(invocationWith({}), contextWith({ signal: call.signal }))
  await prepared.run(invocationWith({}), contextWith())
  expect(made).toEqual(Array(6).fill({ toolkit: 'Example', caller: 'admin', timeoutMs: 30_000 }))
  call.abort(new DOMException('', 'TimeoutError'))
  const reasons = signals.map((signal) => signal?.reason?.name)
  expect(reasons.slice(0, 3)).toEqual(['TimeoutError', 'TimeoutError', 'TimeoutError'])
  expect(reasons.slice(3)).toEqual([undefined, undefined, undefined])
})

it('the runner of bundled tools runs nothing that is not bundled, or is bundled with another definition', () => {
  expect(runner(() => 7, 'd2').prepare(record)).toMatchObject({ ok: false })
  expect(runner(() => 7).prepare({ ...record, id: 'Other.Tool@1.0.0' })).toMatchObject({ ok: false })
})

it('the runner of bundled tools cannot be published', () => {
  expect(runner(() => 7).check({ kind: 'bundled' }, definitionWith([]))).toMatchObject([{ path: '/kind' }])
})
