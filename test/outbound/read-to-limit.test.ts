import { expect, it } from 'vitest'
import { readToLimit } from '../../src/outbound/read-to-limit.ts'

/** Creates a body with these chunks, followed by `last`, and records whether it was canceled. */
function bodyOf(
  chunks: readonly string[],
  last: (controller: ReadableStreamDefaultController) => void = (c) => c.close(),
) {
  const seen = { cancelled: false, given: 0 }
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const chunk = chunks[seen.given++]
        if (chunk === undefined) last(controller)
        else controller.enqueue(new TextEncoder().encode(chunk))
      },
      cancel: () => void (seen.cancelled = true),
    },
    { highWaterMark: 0 },
  )
  return { body, seen }
}
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

it.each([
  [[], 0],
  [['abc', 'de'], 5],
  [['abc', '', 'de'], 9],
])('a body of %j is read as a whole within %i bytes', async (chunks, limit) => {
  const { bytes, isComplete: isWhole } = await readToLimit(bodyOf(chunks).body, limit)
  expect([text(bytes), isWhole]).toEqual([chunks.join(''), true])
})

it('a missing body is empty', async () => {
  expect(await readToLimit(null, 0)).toEqual({ bytes: new Uint8Array(), isComplete: true })
})

it('a body over the limit is cut there, and the rest is neither requested nor waited for', async () => {
  const { body, seen } = bodyOf(['abc', 'def', 'ghi', 'jkl'])
  const { bytes, isComplete: isWhole } = await readToLimit(body, 4)
  expect([text(bytes), isWhole]).toEqual(['abcd', false])
  expect(seen).toEqual({ cancelled: true, given: 2 })
})

it.each([undefined, new AbortController().signal])('a body that breaks off is an error (%#)', async (signal) => {
  const { body } = bodyOf(['abc'], (controller) => controller.error(new Error('reset')))
  await expect(readToLimit(body, 9, signal)).rejects.toThrow('reset')
})

it('a body that stalls is cut off with the signal', async () => {
  const controller = new AbortController()
  const { body, seen } = bodyOf(['abc'], () => controller.abort(new Error('too late')))
  await expect(readToLimit(body, 9, controller.signal)).rejects.toThrow('too late')
  expect(seen.cancelled).toBe(true)
})
