import { afterEach, describe, expect, it, vi } from 'vitest'
import { respondOrStream, createEventStream, readEvents } from '../../../src/http/response/event-stream.ts'
import { acceptsEventStream } from '../../../src/http/route/incoming-call.ts'

afterEach(() => void vi.restoreAllMocks())

const never = () => new AbortController().signal
const event = (data: string) => ({ event: 'e', data })
const textOf = (...data: readonly string[]) => data.map((each) => `event: e\ndata: ${each}\n\n`).join('')

/** Work that a test ends, and what it is answered with. */
function answering(signal = never()) {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const stream = createEventStream(signal)
  const kept: Promise<unknown>[] = []
  const answer = respondOrStream(promise, {
    stream,
    background: (work) => void kept.push(work),
    toResponse: (text) => new Response(text, { status: 418 }),
    toLastEvents: (text) => [event(text)],
    toErrorEvents: () => [event('crashed')],
    headers: { 'x-own': '1' },
  })
  return { stream, answer, kept, resolve, reject }
}

describe('a response', () => {
  it('is complete if nothing was sent before', async () => {
    const { answer, resolve, kept } = answering()
    resolve('done')
    const response = await answer
    expect([response.status, await response.text(), kept]).toEqual([418, 'done', []])
  })

  it('is a stream from the first event on, and ends with the last', async () => {
    const { stream, answer, resolve, kept } = answering()
    stream.send(event('1'))
    const response = await answer
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toEqual({
      'content-type': 'text/event-stream',
      'cache-control': 'private, no-cache, no-transform',
      'x-accel-buffering': 'no',
      'x-own': '1',
    })
    stream.send(event('2'))
    resolve('3')
    expect(await response.text()).toBe(textOf('1', '2', '3'))
    expect(kept).toHaveLength(1)
  })

  it('fails like any other if nothing was sent, and otherwise ends its stream', async () => {
    const early = answering()
    early.reject(new Error('No'))
    await expect(early.answer).rejects.toThrow('No')
    const logged = vi.spyOn(console, 'error').mockReturnValue()
    const late = answering()
    late.stream.send(event('1'))
    const response = await late.answer
    late.reject(new Error('No'))
    expect(await response.text()).toBe(textOf('1', 'crashed'))
    expect(logged).toHaveBeenCalledExactlyOnceWith(expect.stringMatching(/^Cannot end a stream/), expect.any(Error))
  })
})

describe('a stream', () => {
  it('buffers few events for a client that does not read, the newest one last', async () => {
    const { stream, answer, resolve } = answering()
    for (let count = 1; count <= 100_000; count++) stream.send(event(`${count}`))
    const response = await answer
    resolve('end')
    const read = [...(await response.text()).matchAll(/data: (.*)/g)].map(([, data]) => data)
    expect(read.slice(0, 3)).toEqual(['1', '2', '3'])
    expect(read.slice(-2)).toEqual(['100000', 'end'])
    expect(read.length).toBeLessThan(50)
  })

  it('continues while its reader is slow', async () => {
    const { stream, answer, resolve } = answering()
    stream.send(event('1'))
    const reader = (await answer).body?.getReader()
    const decoder = new TextDecoder()
    const next = async () => decoder.decode((await reader?.read())?.value)
    expect(await next()).toBe(textOf('1'))
    stream.send(event('2'))
    stream.send(event('3'))
    expect(await next()).toBe(textOf('2'))
    expect(await next()).toBe(textOf('3'))
    resolve('end')
    expect(await next()).toBe(textOf('end'))
    expect((await reader?.read())?.done).toBe(true)
  })

  it('is kept open while there are no events, and leaves nothing running at its end', async () => {
    vi.useFakeTimers()
    try {
      const { stream, answer, resolve, kept } = answering()
      stream.send(event('1'))
      const text = (await answer).text()
      await vi.advanceTimersByTimeAsync(2_000)
      resolve('end')
      await Promise.all(kept)
      expect(await text).toBe(`${textOf('1')}:\n\n:\n\n${textOf('end')}`)
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })

  it('reports that its reader closed it, and still accepts events', async () => {
    const { stream, answer, resolve, kept } = answering()
    stream.send(event('1'))
    await (await answer).body?.cancel()
    expect(stream.signal.aborted).toBe(true)
    stream.send(event('2'))
    resolve('end')
    await expect(Promise.all(kept)).resolves.toHaveLength(1)
  })

  it('reports that its request was aborted, even beforehand', async () => {
    const caller = new AbortController()
    const { stream } = answering(caller.signal)
    expect(stream.signal.aborted).toBe(false)
    caller.abort()
    expect(stream.signal.aborted).toBe(true)
    expect(createEventStream(caller.signal).signal.aborted).toBe(true)
  })
})

describe('the events of a response', () => {
  async function eventsOf(response: Response) {
    const events = []
    for await (const each of readEvents(response)) events.push(each)
    return events
  }
  const read = async (...parts: readonly string[]) => {
    const body = new ReadableStream({
      start(controller) {
        for (const part of parts) controller.enqueue(new TextEncoder().encode(part))
        controller.close()
      },
    })
    return eventsOf(new Response(body))
  }

  it('are read as they were sent, in any chunks', async () => {
    const text = `${textOf('1')}:\n\n${textOf('2', 'é')}`
    const comment = { event: '', data: '' }
    const all = [event('1'), comment, event('2'), event('é')]
    expect(await read(text)).toEqual(all)
    expect(await read(...text)).toEqual(all)
    expect(await read(text, 'event: e\ndata: no end')).toEqual(all)
    expect(await eventsOf(new Response(null))).toEqual([])
    const others = [
      'event: e',
      'data: a',
      'id: 1\nevent: e\ndata: a',
      'event: e\ndata: a\nid: 1',
      'event: last\ndata: of all',
    ]
    expect(await read(`${others.join('\n\n')}\n\n`)).toEqual([
      ...Array(4).fill(comment),
      { event: 'last', data: 'of all' },
    ])
  })
})

describe('a request', () => {
  it.each([
    ['text/event-stream', true],
    ['application/json, Text/Event-Stream;q=0.5', true],
    ['text/event-stream; charset=utf-8', true],
    [undefined, false],
    ['*/*', false],
    ['text/*', false],
    ['application/json', false],
    ['application/json, text/event-stream;q=0', false],
    ['text/event-stream; q=0.000', false],
    ['text/event-streams', false],
  ])('with Accept %j accepts events: %j', (accept, takes) => {
    const headers = new Headers(accept === undefined ? {} : { accept })
    expect(acceptsEventStream(new Request('https://x.test/', { headers }))).toBe(takes)
  })
})
