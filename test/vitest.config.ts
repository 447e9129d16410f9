import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'
import { FULL_ONLY } from './extent.ts'
import { LeftOut } from './left-out.ts'

export const root = fileURLToPath(new URL('..', import.meta.url))

/** What is tested by its users' means: over HTTP, through a server of its own. */
const WHOLE_SERVER = ['e2e', 'seeds', 'attacks'].map((folder) => `test/${folder}/**/*.test.ts`)

/** What is tested in this process: all but what needs workerd, or a whole server. */
export const node = {
  name: 'node',
  environment: 'node',
  // Some work through thousands of cases; on a busy machine that takes a while
  testTimeout: 120_000,
  hookTimeout: 120_000,
  include: ['test/**/*.test.ts', 'tools/**/*.test.ts'],
  exclude: ['test/**/*.worker.test.ts', ...WHOLE_SERVER],
  // Durable Objects are of the platform; the simulation has a platform of its own
  alias: { 'cloudflare:workers': fileURLToPath(new URL('simulation/durable-object.ts', import.meta.url)) },
}

/** Files that mock a module: it would be theirs in every file after them. */
const MOCKING = ['test', 'tools'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts') && !path.endsWith('.worker.test.ts'))
    .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
    .filter((path) => /\bvi\.(?:do)?[mM]ock\(/.test(readFileSync(join(root, path), 'utf8'))),
)

export default defineConfig(({ mode }) => {
  const isFull = mode === 'full'
  const removedIds = isFull ? [] : Object.keys(FULL_ONLY)
  return {
    test: {
      root,
      // More than there are cores: while a test waits for a server, a browser or the disk, another one runs. In the full
      // run many are programs and browsers that keep a core busy themselves
      maxWorkers: availableParallelism() + (isFull ? 2 : 3),
      // As long as it takes on a busy machine; what comes sooner is seen sooner
      expect: { poll: { timeout: 30_000 } },
      reporters: ['default', new LeftOut(isFull ? {} : FULL_ONLY)],
      // Read by `extent.ts`
      env: isFull ? { SWITCHBOARD_TESTS: 'full' } : {},
      // A process of its own for each file costs as much as its tests
      isolate: false,
      projects: [
        {
          extends: true,
          test: {
            ...node,
            exclude: [...node.exclude, ...MOCKING, ...removedIds],
            setupFiles: ['test/restore.ts', 'test/seed.ts'],
          },
        },
        {
          extends: true,
          test: {
            ...node,
            name: 'mocking',
            include: MOCKING,
            exclude: removedIds,
            isolate: true,
          },
        },
        {
          // In workerd, with the bindings of wrangler.toml; host files are invisible there
          extends: true,
          plugins: [
            cloudflareTest({ main: join(root, 'src/index.ts'), wrangler: { configPath: join(root, 'wrangler.toml') } }),
          ],
          test: {
            name: 'worker',
            include: ['test/**/*.worker.test.ts'],
            exclude: removedIds,
            setupFiles: ['test/fresh-storage.worker.ts'],
            // Some publish thousands of tools, beside whatever else the machine does
            testTimeout: 120_000,
            hookTimeout: 120_000,
          },
        },
        {
          extends: true,
          test: {
            name: 'e2e',
            include: WHOLE_SERVER,
            exclude: removedIds,
            // A test may start thirty programs, on a machine that others keep busy
            testTimeout: 180_000,
            hookTimeout: 120_000,
            globalSetup: ['test/e2e/build-once.ts'],
            setupFiles: ['test/seed.ts'],
            alias: { 'cloudflare:workers': fileURLToPath(new URL('platform/workers.ts', import.meta.url)) },
            // It imports `cloudflare:workers`
            server: { deps: { inline: ['@cloudflare/workers-oauth-provider'] } },
          },
        },
      ],
    },
  }
})
