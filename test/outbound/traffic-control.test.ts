import { expect, it } from 'vitest'
import { MAX_FAILURES } from '../../src/outbound/circuit.ts'
import {
  type ToolInitiator,
  createTrafficControl,
  type HostHealth,
  MAX_IN_FLIGHT,
  MAX_WAITING,
  type RequestPermit,
  type TrafficRefusal,
} from '../../src/outbound/traffic-control.ts'

const UNTOLD = { onChange: () => undefined }
const HOST = 'api.example.com'

/** Traffic whose clock moves by hand, or by what is slept. */
function traffic() {
  let time = 1_000
  const changes: [string, string, HostHealth][] = []
  const made = createTrafficControl({
    now: () => time,
    sleep: async (ms) => void (time += ms),
    onChange: (...given) => void changes.push(given),
  })
  const pass = (ms: number) => void (time += ms)
  return { ...made, changes, pass }
}

function asker(toolkit = 'Kit', signal = new AbortController().signal, caller = 'ann'): ToolInitiator {
  return { toolkit, caller, timeoutMs: 30_000, signal }
}

function passed(admitted: RequestPermit | TrafficRefusal): RequestPermit {
  if ('kind' in admitted) throw new Error(admitted.reason)
  return admitted
}

async function fail(made: ReturnType<typeof traffic>, times: number, toolkit = 'Kit', caller = 'ann'): Promise<void> {
  for (let count = 0; count < times; count++)
    passed(await made.admit(HOST, asker(toolkit, undefined, caller))).end('failure')
}

const late = () => new DOMException('The deadline passed', 'TimeoutError')

it('a host that does not respond is paused with a reason and a time to retry, and reported once', async () => {
  const made = traffic()
  await fail(made, MAX_FAILURES)
  const refused = {
    kind: 'failing',
    reason: 'it did not answer 5 requests in a row, and is asked again in 2 s',
    retryAfterMs: 2_000,
  }
  expect(await made.admit(HOST, asker())).toEqual(refused)
  const health = { state: 'open', failures: 5, inFlight: 0, retryAfterMs: 2_000 }
  expect(made.health(HOST, 'kit', 'ann')).toEqual(health)
  expect(made.changes).toEqual([[HOST, 'Kit', health]])
})

it('a host that does not respond gets one request at a time after the pause, until it responds', async () => {
  const made = traffic()
  await fail(made, MAX_FAILURES)
  made.pass(2_000)
  const [probe, ...others] = await Promise.all([1, 2, 3].map(() => made.admit(HOST, asker())))
  expect(others).toMatchObject([{ kind: 'failing' }, { kind: 'failing' }])
  expect(made.health(HOST, 'Kit', 'ann')).toMatchObject({ state: 'half-open', inFlight: 1 })
  passed(probe!).end('success')
  expect(made.health(HOST, 'Kit', 'ann')).toEqual({ state: 'closed', failures: 0, inFlight: 0 })
  expect(made.changes.map(([, , { state }]) => state)).toEqual(['open', 'closed'])
  passed(await made.admit(HOST, asker()))
})

it('a host that does not respond does not affect other toolkits or other hosts', async () => {
  const made = traffic()
  await fail(made, MAX_FAILURES, 'Strange')
  expect(await made.admit(HOST, asker('strange'))).toMatchObject({ kind: 'failing' })
  passed(await made.admit(HOST, asker('Kit')))
  passed(await made.admit(`${HOST}:8443`, asker('Strange')))
  expect(made.health(HOST, 'Never', 'ann')).toEqual({ state: 'closed', failures: 0, inFlight: 0 })
})

it('a host that does not respond is detected by calls that time out, not by callers who disconnect', async () => {
  const made = traffic()
  const end = async (reason: unknown) => {
    const call = new AbortController()
    const passage = passed(await made.admit(HOST, asker('Kit', call.signal)))
    call.abort(reason)
    // Later reports do not count
    passage.end('success')
  }
  for (let count = 0; count < 3 * MAX_FAILURES; count++) await end(new DOMException('Gone', 'AbortError'))
  for (const reason of [undefined, 'TimeoutError']) await end(reason)
  expect(made.health(HOST, 'Kit', 'ann')).toMatchObject({ failures: 0, inFlight: 0 })
  for (let count = 0; count < MAX_FAILURES; count++) await end(late())
  expect(made.health(HOST, 'Kit', 'ann')).toMatchObject({ state: 'open', inFlight: 0 })
})

it('a host that does not respond is still tested if a caller disconnects each time', async () => {
  const made = traffic()
  await fail(made, MAX_FAILURES)
  made.pass(2_000)
  const call = new AbortController()
  passed(await made.admit(HOST, asker('Kit', call.signal)))
  call.abort()
  passed(await made.admit(HOST, asker()))
})

const as = (caller: string) => asker('Kit', undefined, caller)

it('a caller without responses does not block other callers', async () => {
  const made = traffic()
  await fail(made, MAX_FAILURES, 'Kit', 'mallory')
  expect(await made.admit(HOST, as('mallory'))).toMatchObject({ kind: 'failing' })
  expect(made.health(HOST, 'Kit', 'mallory')).toMatchObject({ state: 'open' })
  expect(made.health(HOST, 'Kit', 'ann')).toMatchObject({ state: 'closed' })
  for (let count = 0; count < 20; count++) passed(await made.admit(HOST, as('ann'))).end('success')
})

it('a caller without responses counts for others sooner if several callers get none, until one does', async () => {
  const made = traffic()
  for (const caller of ['a', 'b', 'c']) await fail(made, 1, 'Kit', caller)
  await fail(made, 1)
  const reason = 'it did not answer 1 request, and is asked again in 2 s'
  expect(await made.admit(HOST, as('ann'))).toMatchObject({ kind: 'failing', reason })
  passed(await made.admit(HOST, as('bob'))).end('success')
  await fail(made, 1, 'Kit', 'carl')
  passed(await made.admit(HOST, as('carl')))
})

it('a caller without responses does not count for others because of gateway errors, which an input may cause', async () => {
  const made = traffic()
  for (const caller of ['a', 'b', 'c', 'd']) passed(await made.admit(HOST, as(caller))).end('gateway-error')
  await fail(made, 1)
  passed(await made.admit(HOST, as('ann')))
  for (let count = 1; count < MAX_FAILURES; count++) passed(await made.admit(HOST, as('a'))).end('gateway-error')
  expect(await made.admit(HOST, as('a'))).toMatchObject({ kind: 'failing' })
})

it('a caller without responses takes no places of others while its requests wait', async () => {
  const made = traffic()
  const slow = Array.from({ length: MAX_IN_FLIGHT }, () => made.admit(HOST, as('mallory')))
  for (const each of await Promise.all(slow)) passed(each)
  expect(await made.admit(HOST, as('mallory'))).toMatchObject({ kind: 'busy' })
  passed(await made.admit(HOST, as('ann')))
})

it('a slow host gets a limited number of requests at a time, and a few wait', async () => {
  const made = traffic()
  const first = await Promise.all(Array.from({ length: MAX_IN_FLIGHT }, () => made.admit(HOST, asker())))
  first.forEach(passed)
  const refused = {
    kind: 'busy',
    reason: '64 requests of this caller, or 256 of this toolkit, are waiting for its answers already',
    retryAfterMs: 1_000,
  }
  expect(await made.admit(HOST, asker())).toEqual(refused)
  const waiting = made.admit(HOST, asker())
  passed(first[0]!).end('success')
  passed(await waiting)
  // Busy is not failing
  expect(made.health(HOST, 'Kit', 'ann')).toMatchObject({ state: 'closed', inFlight: MAX_IN_FLIGHT })
  passed(await made.admit(HOST, asker('Other')))
})

it('a slow host has a limited number of waiting requests', async () => {
  const made = createTrafficControl({ now: () => 0, sleep: () => new Promise(() => {}), ...UNTOLD })
  const call = new AbortController()
  const all = Array.from({ length: MAX_IN_FLIGHT + MAX_WAITING }, () => made.admit(HOST, asker('Kit', call.signal)))
  await Promise.all(all.slice(0, MAX_IN_FLIGHT))
  expect(await made.admit(HOST, asker())).toMatchObject({ kind: 'busy' })
  // The calls end: nothing waits, and every permit is free
  call.abort()
  await Promise.all(all)
  expect(made.health(HOST, 'Kit', 'ann')).toMatchObject({ inFlight: 0 })
  passed(await made.admit(HOST, asker()))
})

it('a slow host has places to wait again as soon as waiting requests were sent or refused', async () => {
  let atSleep = () => {}
  const made = createTrafficControl({ now: () => 0, sleep: async () => atSleep(), ...UNTOLD })
  const running = await Promise.all(Array.from({ length: MAX_IN_FLIGHT }, () => made.admit(HOST, asker())))
  const away = await Promise.all(Array.from({ length: MAX_WAITING }, () => made.admit(HOST, asker())))
  expect(away.map((each) => 'kind' in each && each.kind)).toEqual(Array(MAX_WAITING).fill('busy'))
  atSleep = () => passed(running.shift()!).end('success')
  for (let count = 0; count < 2 * MAX_WAITING; count++) running.push(passed(await made.admit(HOST, asker())))
  expect(made.health(HOST, 'Kit', 'ann')).toMatchObject({ inFlight: MAX_IN_FLIGHT })
})

it('a slow host regains its places from requests that the platform ended', async () => {
  const made = traffic()
  for (let count = 0; count < MAX_IN_FLIGHT; count++) passed(await made.admit(HOST, asker()))
  expect(await made.admit(HOST, asker())).toMatchObject({ kind: 'busy' })
  made.pass(35_000)
  passed(await made.admit(HOST, asker()))
})

it('a slow host can record that a call has ended at any time', async () => {
  const made = traffic()
  await fail(made, MAX_FAILURES)
  passed(await made.admit(HOST, asker('Kit', AbortSignal.abort()))).end('failure')
  expect(made.health(HOST, 'Kit', 'ann')).toMatchObject({ failures: MAX_FAILURES })
})
