import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type BodyLine, bodyLines } from '../../../src/http/request/body-lines.ts'

/** A body that comes in these pieces; `breaks` has it end with an error. */
function bodyOf(pieces: readonly (string | Uint8Array)[], breaks = false): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(typeof piece === 'string' ? encoder.encode(piece) : piece)
      if (!breaks) controller.close()
    },
    pull: (controller) => controller.error(new Error('The sender went away')),
  })
}

async function all(body: ReadableStream<Uint8Array> | null, most = 100): Promise<BodyLine[]> {
  const lines: BodyLine[] = []
  for await (const line of bodyLines(body, most)) lines.push(line)
  return lines
}

describe('the lines of a body', () => {
  it('are read one by one, whatever chunks the body has', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).filter((each) => /^\S[^\n]*$/.test(each)),
        ),
        fc.infiniteStream(fc.integer({ min: 1, max: 9 })),
        async (lines, sizes) => {
          const bytes = new TextEncoder().encode(lines.map((line) => `${line}\n`).join(''))
          const pieces: Uint8Array[] = []
          for (let at = 0; at < bytes.length;) {
            const size = sizes.next().value ?? 1
            pieces.push(bytes.subarray(at, at + size))
            at += size
          }
          expect(await all(bodyOf(pieces), 1_000)).toEqual(lines.map((text) => ({ text })))
        },
      ),
    )
  })

  it('may end without a line break or with a carriage return, and blank ones are skipped', async () => {
    expect(await all(bodyOf(['a\n\n \nb\r\n', '\n', 'c']))).toEqual([{ text: 'a' }, { text: 'b\r' }, { text: 'c' }])
    expect(await all(bodyOf([]))).toEqual([])
    expect(await all(null)).toEqual([])
  })

  it('that are too long are reported, and the next one is read', async () => {
    const long = 'x'.repeat(60)
    expect(await all(bodyOf(['a\n', long, long, '\nb\n']))).toEqual([
      { text: 'a' },
      { problem: 'Is larger than 100 bytes' },
      { text: 'b' },
    ])
  })

  it('that are not UTF-8 are reported, and the next one is read', async () => {
    expect(await all(bodyOf([Uint8Array.of(0xff, 0x0a), 'b']))).toEqual([{ problem: 'Is no UTF-8' }, { text: 'b' }])
  })

  it('end if the body breaks off', async () => {
    expect(await all(bodyOf(['a\nhalf of', ' it'], true))).toEqual([{ text: 'a' }, { text: 'half of it' }])
  })

  it('are read only as far as requested, and the rest can still be read', async () => {
    let pulled = 0
    const body = new ReadableStream<Uint8Array>(
      { pull: (controller) => controller.enqueue(new TextEncoder().encode(`${++pulled}\n`)) },
      { highWaterMark: 0 },
    )
    for await (const line of bodyLines(body, 10)) {
      expect(line).toEqual({ text: '1' })
      break
    }
    expect(pulled).toBe(1)
    expect(await body.getReader().read()).toMatchObject({ done: false, value: new TextEncoder().encode('2\n') })
  })
})
