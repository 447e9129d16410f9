import { describe, expect, it } from 'vitest'
import { MAX_FAILURES } from '../../src/outbound/circuit.ts'
import { createHostNews } from '../../src/outbound/host-news.ts'
import { createTraffic, MAX_IN_FLIGHT, MAX_WAITING, type Passage, type Refused } from '../../src/outbound/traffic.ts'

function setUp() {
  let time = 1_000
  const now = () => time
  const news = createHostNews(now)
  const traffic = createTraffic({ now, sleep: () => new Promise(() => {}), ...news })
  const admit = (host: string, toolkit = 'Kit') =>
    traffic.admit(host, { toolkit, timeoutMs: 30_000, signal: new AbortController().signal })
  async function send(host: string, ending: 'answered' | 'failed', times: number): Promise<void> {
    for (let count = 0; count < times; count++) passed(await admit(host)).end(ending)
  }
  return { ...news, admit, send, pass: (ms: number) => void (time += ms) }
}

function passed(admitted: Passage | Refused): Passage {
  if ('kind' in admitted) throw new Error(admitted.reason)
  return admitted
}

describe('news of hosts', () => {
  it('there is none where requests are answered, or fail now and then', async () => {
    const { send, take } = setUp()
    await send('up', 'answered', 10)
    await send('up', 'failed', MAX_FAILURES - 1)
    await send('up', 'answered', 1)
    expect(take()).toEqual([])
  })

  it('is how often one stopped answering, what was not sent to it, and until when; told once', async () => {
    const { send, admit, take } = setUp()
    await send('down', 'failed', MAX_FAILURES)
    for (let count = 0; count < 3; count++) await admit('down')
    const host = { toolkit: 'Kit', host: 'down', opened: 1, failing: 3, busy: 0, at: 1_000, openUntil: 3_000 }
    expect(take()).toEqual([host])
    expect(take()).toEqual([])
    await admit('down')
    expect(take()).toEqual([{ ...host, opened: 0, failing: 1 }])
  })

  it('is that another request is tried, and that it was answered', async () => {
    const { send, admit, take, pass } = setUp()
    await send('down', 'failed', MAX_FAILURES)
    take()
    pass(2_000)
    const probe = passed(await admit('down'))
    await admit('down')
    expect(take()).toEqual([
      { toolkit: 'Kit', host: 'down', opened: 0, failing: 1, busy: 0, at: 3_000, openUntil: 3_000 },
    ])
    probe.end('answered')
    expect(take()).toEqual([{ toolkit: 'Kit', host: 'down', opened: 0, failing: 0, busy: 0, at: 3_000 }])
  })

  it('is that one that answers had no room, and whose tools asked', async () => {
    const { admit, take } = setUp()
    for (let count = 0; count < MAX_IN_FLIGHT + MAX_WAITING; count++) void admit('slow')
    for (const toolkit of ['Kit', 'Kit', 'Other']) await admit('slow', toolkit)
    expect(take()).toEqual([{ toolkit: 'Kit', host: 'slow', opened: 0, failing: 0, busy: 2, at: 1_000 }])
  })
})
