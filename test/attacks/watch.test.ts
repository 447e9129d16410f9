import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { expect, it } from 'vitest'
import { close, listen } from '../e2e/oauth/provider.ts'
import type { RunningServer } from '../e2e/server.ts'
import { neverSilent, watched } from './watch.ts'

/** A server to watch, which only needs an address. */
const at = (port: number): RunningServer => ({
  url: `http://127.0.0.1:${port}`,
  printed: () => '',
  persistTo: '',
  stop: async () => undefined,
  json: () => Promise.reject(new Error('Nothing is asked of it')),
})
const pause = (ms: number) => new Promise((done) => setTimeout(done, ms))

it('the watch reports a server whose thread is blocked', { timeout: 300_000 }, async () => {
  let asks = 0
  const server = createServer((_, response) => void (asks++, response.end('well')))
  watched(at(await listen(server, 0)))
  const askedAgain = (since = asks) => expect.poll(() => asks).toBeGreaterThan(since + 1)
  await askedAgain()
  const before = performance.now()
  while (performance.now() - before < 1_000);
  await askedAgain()
  const [found] = await neverSilent()
  expect(found?.longestMs).toBeGreaterThan(200)
  await close(server)
})

it('the watch reports a server whose process ended', async () => {
  const source = `require('http').createServer((_, r) => (console.log('asked'), r.end()))
    .listen(0, '127.0.0.1', function () { console.log(this.address().port) })`
  const child = spawn(process.execPath, ['-e', source], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [port] = await once(child.stdout, 'data')
  watched(at(Number(port)))
  // Wait for the watch to start, however long its process takes
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await once(child, 'close')
  await pause(1_000)
  await expect(neverSilent()).rejects.toThrow(/ECONN|hang up/)
})

it('the watch does not report a server that responds', async () => {
  const server = createServer((_, response) => response.end('well'))
  watched(at(await listen(server, 0)))
  await pause(1_500)
  await neverSilent()
  await close(server)
})

const FILES = readdirSync(new URL('.', import.meta.url)).filter((name) => name.endsWith('.test.ts'))

it.each(FILES)('every server of %s is watched', (file) => {
  const text = readFileSync(new URL(file, import.meta.url), 'utf8')
  expect(text).toContain('afterAll(neverSilent)')
  // Servers that other code starts are passed to `watched`
  if (file !== 'watch.test.ts') expect(text).toMatch(/startWatched(?:Server)?\(|watched\([\w.]+\.server\)/)
  expect(text).not.toMatch(/startServer\(/)
})
