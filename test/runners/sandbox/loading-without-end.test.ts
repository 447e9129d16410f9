import { expect, it } from 'vitest'
import {
  createLoaderRunner,
  createSandbox,
  createIsolateQuota,
  type SandboxCode,
} from '../../../src/runners/sandbox/sandbox.ts'

/** A bare workerd's: whatever was loaded under a name stays. */
function loadedBy(unloads: boolean) {
  const staying = new Set<string>()
  let passing = 0
  const answer = { getEntrypoint: () => ({ run: () => Promise.resolve('{}') }) }
  const loader = {
    get(name: string, load: () => Promise<unknown>) {
      const run = () => load().then(() => (staying.add(name), '{}'))
      return staying.has(name) ? answer : { getEntrypoint: () => ({ run }) }
    },
    load: () => ((passing += 1), answer),
  } as unknown as WorkerLoader
  const openEgress = () => ({}) as Fetcher
  const sandbox = createSandbox({
    run: createLoaderRunner(loader, openEgress),
    sha256: (text) => Promise.resolve(text),
    quota: unloads ? undefined : createIsolateQuota(),
  })
  return {
    staying,
    passing: () => passing,
    async call(owner: readonly string[], name = 'code', secret = '', modules: SandboxCode['modules'] = () => ({})) {
      const text = { hosts: ['a.example'], in: 'header', name: 'x-key', text: secret } as const
      const reach = { allowedHosts: ['a.example'], allowHttpHosts: [], sensitive: [secret] }
      const egress = { ...reach, credentials: [text], toolkit: 'Kit', caller: owner[0] ?? '', timeoutMs: 1_000 }
      const code: SandboxCode = { name, modules, egress, owner }
      await sandbox.call(code, [], AbortSignal.timeout(5_000))
    },
  }
}

const times = (count: number) => Array.from({ length: count }, (_, index) => String(index))

it('isolates that the platform never unloads are few for a caller who changes credentials or users each time', async () => {
  const { call, staying, passing } = loadedBy(false)
  for (const each of times(500)) await call(['key:a', 'ann'], 'code', each)
  for (const each of times(500)) await call(['key:a', each])
  expect(staying.size).toBe(20)
  expect(passing()).toBe(980)
})

it('isolates that the platform never unloads leave room for other callers, who keep theirs', async () => {
  const { call, staying, passing } = loadedBy(false)
  for (const each of times(500)) await call(['key:a', 'ann'], 'code', each)
  const before = passing()
  for (const _ of times(3)) await call(['key:b', 'bob'])
  expect(staying.size).toBe(21)
  expect(passing()).toBe(before)
})

it('isolates that the platform never unloads are limited over all callers and publishers', async () => {
  const { call, staying } = loadedBy(false)
  for (const each of times(500)) await call([], `plugin ${each}`)
  expect(staying.size).toBe(100)
  for (const each of times(500)) await call([`key:${each}`, 'ann'])
  expect(staying.size).toBe(200)
})

it('isolates that the platform never unloads leave room for shared tools, however many callers there are', async () => {
  const { call, staying } = loadedBy(false)
  for (const each of times(500)) await call([`key:${each}`, 'ann'])
  expect(staying.size).toBe(100)
  for (const each of times(500)) await call([], `plugin ${each}`)
  expect(staying.size).toBe(200)
})

it('isolates that the platform never unloads are only those that could be loaded', async () => {
  const { call, staying } = loadedBy(false)
  const missing = () => Promise.reject(new Error('No plugin is kept'))
  for (const each of times(500)) await call([], `missing ${each}`, '', missing)
  for (const each of times(500)) await call([], `plugin ${each}`)
  expect(staying.size).toBe(100)
})

it('isolates all have names if the platform unloads them', async () => {
  const { call, staying, passing } = loadedBy(true)
  for (const each of times(500)) await call(['key:a', each])
  expect([staying.size, passing()]).toEqual([500, 0])
})
