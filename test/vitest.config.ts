import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'
import { FULL_ONLY } from './extent.ts'
import { LeftOut } from './left-out.ts'

export const root = fileURLToPath(new URL('..', import.meta.url))

/** Tests that act as users do: over HTTP, each with its own server. */
const WHOLE_SERVER = ['e2e', 'seeds', 'attacks'].map((folder) => `test/${folder}/**/*.test.ts`)

/** Tests that run in this process: all except those that need workerd or a whole server. */
export const node = {
  name: 'node',
  environment: 'node',
  // Some run thousands of cases, which takes a while on a busy machine
  testTimeout: 120_000,
  hookTimeout: 120_000,
  include: ['test/**/*.test.ts', 'tools/**/*.test.ts'],
  exclude: ['test/**/*.worker.test.ts', ...WHOLE_SERVER],
  // Durable Objects come from the platform, which the simulation replaces
  alias: { 'cloudflare:workers': fileURLToPath(new URL('simulation/durable-object.ts', import.meta.url)) },
}

/** Files that mock a module: without isolation, the mock would stay in every later file. */
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
      // More than the number of cores: while a test waits for a server, a browser or the disk, another runs. In the full
      // run, many start programs and browsers that keep a core busy
      maxWorkers: availableParallelism() + (isFull ? 2 : 3),
      // Long enough for a busy machine; polling ends as soon as the condition holds
      expect: { poll: { timeout: 30_000 } },
      reporters: ['default', new LeftOut(isFull ? {} : FULL_ONLY)],
      // Read by `extent.ts`
      env: isFull ? { SWITCHBOARD_TESTS: 'full' } : {},
      // A separate process for each file costs as much as its tests
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
          // Runs in workerd with the bindings of wrangler.toml; host files are not visible there
          extends: true,
          plugins: [
            cloudflareTest({ main: join(root, 'src/index.ts'), wrangler: { configPath: join(root, 'wrangler.toml') } }),
          ],
          test: {
            name: 'worker',
            include: ['test/**/*.worker.test.ts'],
            exclude: removedIds,
            setupFiles: ['test/fresh-storage.worker.ts'],
            // Some publish thousands of tools, possibly on a busy machine
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
            // A test may start thirty programs, possibly on a busy machine
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
