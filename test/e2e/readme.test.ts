import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Server, startServer } from './server.ts'

const README = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')

/** The README's shell commands, each with the JSON that is said to come back. */
const commands = [...README.matchAll(/```sh\n([\s\S]*?)```\n\n```json\n([\s\S]*?)```/g)].map(
  ([, command = '', answer = '']) => ({
    command,
    answer: JSON.parse(answer),
  }),
)

let server: Server

beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

describe('the commands of the README, word for word', () => {
  it('are found', () => {
    expect(commands.length).toBe(6)
    expect([...README.matchAll(/```sh\n/g)].length).toBe(commands.length)
  })

  it.each(commands)('$command', async ({ command, answer }) => {
    // The port is the test's own: 8787 may be taken
    const { stdout } = await promisify(execFile)('sh', ['-c', command.replaceAll('http://localhost:8787', server.url)])
    expect(withoutDuration(JSON.parse(stdout))).toEqual(withoutDuration(answer))
  })
})

function withoutDuration(body: { result?: { duration?: number } }) {
  if (body.result) expect(body.result.duration).toEqual(expect.any(Number))
  return { ...body, ...(body.result ? { result: { ...body.result, duration: 0 } } : {}) }
}
