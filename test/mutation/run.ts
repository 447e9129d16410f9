import { spawnSync } from 'node:child_process'
import { existsSync, renameSync } from 'node:fs'
import { readCommand } from '../../src/node/command.ts'

/** Each room is held to the threshold by itself, by these tests; without any, by all that reach it. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  'src/sign-in': ['test/sign-in/*.test.ts', 'test/http/page/*.test.ts'],
  'src/connect': ['test/connect/*.test.ts'],
  'src/http': ['test/http/**/*.test.ts', 'test/sign-in/*.test.ts', 'test/connect/*.test.ts'],
  'src/storage/access': ['test/storage/access/*.test.ts'],
  'src/storage/connect': ['test/storage/connect/*.test.ts'],
  'src/storage/idempotency': ['test/storage/idempotency/*.test.ts'],
  'src/storage/vault': ['test/storage/vault/*.test.ts'],
  'src/core': [],
  'src/dialects': [],
}
const REPORTS = '.wrangler/mutation'

function reachesThreshold(room: string): boolean {
  const tests = ROOMS[room] ?? []
  const mutate = [`${room}/**/*.ts`, `${room}/**/*.tsx`, '!src/dialects/**/routes.ts', '!src/**/*.d.ts']
  const options = ['--mutate', mutate.join(), ...(tests.length > 0 ? ['--testFiles', tests.join()] : [])]
  const run = ['stryker', 'run', 'test/mutation/stryker.config.json', ...options]
  const { status } = spawnSync('npx', run, { stdio: 'inherit' })
  for (const type of ['html', 'json']) {
    const report = `${REPORTS}/mutation.${type}`
    if (existsSync(report)) renameSync(report, `${REPORTS}/${room.replaceAll('/', '-')}.${type}`)
  }
  return status === 0
}

const { positionals: named } = readCommand(
  `Changes the code in many small ways, and fails where too few of them fail a test. Rooms: ${Object.keys(ROOMS).join(', ')}.`,
  {},
  { operands: '[room...]' },
)
const unknown = named.filter((room) => !(room in ROOMS))
if (unknown.length > 0) throw new Error(`Wanted ${Object.keys(ROOMS).join(', ')}, got ${unknown.join(', ')}`)
const below = (named.length > 0 ? named : Object.keys(ROOMS)).filter((room) => !reachesThreshold(room))
if (below.length > 0) throw new Error(`Fewer mutants than wanted are noticed in ${below.join(', ')}`)
