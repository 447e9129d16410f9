import { raw } from 'hono/html'
import type { JSX } from 'hono/jsx/jsx-runtime'
import { expect, it } from 'vitest'
import { answerDocument } from '../../../src/http/page/document.tsx'

const answer = (body: AsyncIterable<JSX.Element>) =>
  answerDocument({ status: 200, title: '<A>\u202e', style: '', body })

/** Counts, and notes how far it got and that it was ended. */
function counting(to: number) {
  const made: (number | 'ended')[] = []
  async function* count() {
    try {
      for (let next = 1; next <= to; next++) {
        made.push(next)
        yield raw(`é${next} `)
      }
    } finally {
      made.push('ended')
    }
  }
  return { made, parts: count() }
}

it('sends the parts of its body as they come, and then ends', async () => {
  const text = await (await answer(counting(3).parts)).text()
  expect(text).toMatch(/^<!doctype html>\n<html lang="en">[^]*<title>&lt;A&gt;\\u202e · Switchboard<\/title>/)
  expect(text).toMatch(/<body>é1 é2 é3 <\/body><\/html>$/)
})

it('makes no more parts for a reader that went away', async () => {
  const { made, parts } = counting(100)
  const reader = (await answer(parts)).body?.getReader()
  expect(new TextDecoder().decode((await reader?.read())?.value)).toMatch(/<body>é1 $/)
  await reader?.cancel()
  expect(made.length).toBeLessThan(5)
  expect(made.at(-1)).toBe('ended')
})

it('breaks off where its body does', async () => {
  async function* broken() {
    yield raw('one')
    throw new Error('No')
  }
  await expect((await answer(broken())).text()).rejects.toThrow('No')
})
