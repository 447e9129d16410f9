import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ServerProcess, startProcess } from './process.ts'
import { bundleFolder } from './server.ts'

/** Their log lines are more than the pipe from the Worker to its process holds. */
const CALLS = 2_000

let server: ServerProcess
beforeAll(async () => {
  const command = ['node', 'src/node/serve.ts', '--built', '--outdir', await bundleFolder()]
  server = await startProcess([...command, '--var', 'ACCESS:open', '--var', 'COMPARISON_SECONDS:1'])
})
afterAll(() => server?.stop())

it('scheduled work does not block a server whose Worker waits until its log lines are read', async () => {
  const { pid = 0 } = server
  process.kill(pid, 'SIGSTOP')
  const call = { tool_id: 'Calculator.Add', input: { a: 1, b: 2 } }
  const calls = Promise.all(Array.from({ length: CALLS }, () => server.json('POST', '/tools/call', call)))
  // Scheduled work is due as soon as the process continues
  await setTimeout(3_000)
  process.kill(pid, 'SIGCONT')
  const statuses = (await calls).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([200]))
})

it('callers cannot start scheduled work', async () => {
  expect((await server.json('GET', '/cdn-cgi/local/scheduled?cron=*+*+*+*+*')).status).toBe(404)
})
