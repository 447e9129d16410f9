import { expect, it } from 'vitest'
import { textStream } from '../../../src/http/page/text-stream.ts'

/** Counts, and notes how far it got and that it was ended. */
function counting(to: number) {
  const made: (number | 'ended')[] = []
  async function* count() {
    try {
      for (let next = 1; next <= to; next++) {
        made.push(next)
        yield `é${next} `
      }
    } finally {
      made.push('ended')
    }
  }
  return { made, stream: textStream(count()) }
}

it('sends what comes, and then ends', async () => {
  expect(await new Response(counting(3).stream).text()).toBe('é1 é2 é3 ')
})

it('has no more made for who does not read on', async () => {
  const { made, stream } = counting(100)
  const reader = stream.getReader()
  expect(new TextDecoder().decode((await reader.read()).value)).toBe('é1 ')
  await reader.cancel()
  expect(made.length).toBeLessThan(5)
  expect(made.at(-1)).toBe('ended')
})

it('breaks off where what makes it does', async () => {
  async function* broken() {
    yield 'one'
    throw new Error('No')
  }
  await expect(new Response(textStream(broken())).text()).rejects.toThrow('No')
})
