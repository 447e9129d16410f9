import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningServer, startApp } from './server.ts'

const picture = readFileSync(new URL('../../src/docs/console.svg', import.meta.url), 'utf8')

let server: RunningServer
beforeAll(async () => {
  server = await startApp()
})
afterAll(() => server?.stop())

it("the README's picture shows the console's current content", async () => {
  const response = await fetch(`${server.url}/?limit=1000`, { headers: { accept: 'text/html' } })
  const words = (text: string) =>
    text
      .replaceAll(/<wbr ?\/?>/g, '')
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ')
  const html = await response.text()
  // This app has tools of the tests beside those of the repository
  const shown = words(html)
    .replaceAll(server.url, 'http://localhost:8787')
    .replace(/\d+ tools in \d+ toolkits/, '7 tools in 6 toolkits')
  const drawn = [...picture.matchAll(/<text [^>]*>([^<]+)<\/text>/g)].map(([, text = '']) => text)
  expect(drawn.length).toBeGreaterThan(40)
  const placeholders = [...html.matchAll(/placeholder="([^"]*)"/g)].map(([, text]) => text)
  // Punctuation stands apart where markup was, and a list numbers itself
  const isThere = (text: string) =>
    shown.includes(text.replace(/^\. /, '')) || placeholders.includes(text) || /^(?:\d\.|:)$/.test(text)
  expect(drawn.filter((text) => !isThere(text))).toEqual([])
})

it("the README's picture requests nothing from other hosts, and supports dark mode", () => {
  expect(picture).not.toMatch(/https?:\/\/(?!www\.w3\.org\/2000\/svg"|localhost:8787\/)|<script|<image|@import|url\(/)
  expect(picture).toContain('@media (prefers-color-scheme: dark)')
})
