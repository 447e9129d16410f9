import { execFileSync } from 'node:child_process'
import { afterEach, expect, it, vi } from 'vitest'
import { createSandboxProcesses } from '../../src/node/sandbox-processes.ts'

let printed: string[] = []
let sandboxes: ReturnType<typeof createSandboxProcesses>
afterEach(async () => {
  vi.useRealTimers()
  await sandboxes.end()
})

function start(maxMemoryBytes?: number): void {
  printed = []
  sandboxes = createSandboxProcesses((line) => printed.push(line), maxMemoryBytes)
}

async function check(name: string, { silence = 10_000, tenant = '' } = {}): Promise<unknown> {
  const url = `https://watchdog.invalid/${name}?silence=${silence}&tenant=${tenant}`
  return (await sandboxes.serviceBindings.WATCHDOG({ url })).json()
}

/** The ids of the processes of a name that this one has started. */
function pidsOf(name: string): number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,command='], { encoding: 'utf8' }).split('\n')
  const fields = lines.map((line) => line.trim().split(/\s+/))
  const isOne = ([, parent, ...command]: readonly string[]) =>
    parent === String(process.pid) && /workerd/.test(command[0] ?? '') && command.at(-1)?.endsWith(`${name}.capnp`)
  return fields.filter(isOne).map(([pid]) => Number(pid))
}

it('a process that is replaced for another tool does not count as ended, and nothing is logged', async () => {
  start()
  expect(await check('alone-0', { tenant: 'one' })).toMatchObject({ ends: 0 })
  const pids = pidsOf('alone-0')
  await check('alone-0', { tenant: 'one' })
  expect(pidsOf('alone-0')).toEqual(pids)
  expect(await check('alone-0', { tenant: 'another' })).toMatchObject({ ends: 0 })
  expect(pidsOf('alone-0')).toEqual([expect.not.toSatisfy((pid: number) => pids.includes(pid))])
  expect(printed).toEqual([])
})

it('a process that uses too much memory is ended for that, even if its silence is noticed first', async () => {
  // So nothing looks at its memory in time
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  start(1)
  await check('shared')
  for (const pid of pidsOf('shared')) process.kill(pid, 'SIGSTOP')
  expect(await check('shared', { silence: 100 })).toMatchObject({ ends: 1, reason: 'memory' })
  expect(printed).toEqual(["The watchdog ended the sandbox 'shared': a tool in it took too much memory"])
})

it('a process that does not respond is ended for that', async () => {
  start()
  await check('shared')
  for (const pid of pidsOf('shared')) process.kill(pid, 'SIGSTOP')
  expect(await check('shared', { silence: 100 })).toMatchObject({ ends: 1, reason: 'silent' })
})
