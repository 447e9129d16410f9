import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { node, root } from '../vitest.config.ts'

const workers = fileURLToPath(new URL('workers.ts', import.meta.url))
const STORAGE = 'test/{connect,storage/access,storage/connect,storage/idempotency,storage/vault}/*.worker.test.ts'

/**
 * Includes the node project and the storage tests of the `worker` project. Excludes slow tests, and tests that read or copy the
 * source, which a mutation run has rewritten.
 */
export default defineConfig({
  test: {
    ...node,
    root,
    include: [...node.include, STORAGE],
    exclude: [
      'test/{e2e,seeds,attacks,simulation}/**',
      'test/connect/isolates.worker.test.ts',
      'test/architecture.test.ts',
      'test/fork.test.ts',
    ],
    alias: { 'cloudflare:workers': workers, 'cloudflare:test': workers },
    // It imports `cloudflare:workers`
    server: { deps: { inline: ['@cloudflare/workers-oauth-provider'] } },
  },
})
