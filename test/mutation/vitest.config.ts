import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { node, root } from '../vitest.config.ts'

const workers = fileURLToPath(new URL('workers.ts', import.meta.url))

/**
 * All that runs in this process: the node project, but for what reads the text of the source, which a mutation run has
 * rewritten, or copies it; of the others, what drives storage, and the app that `startApp` starts.
 */
export default defineConfig({
  test: {
    ...node,
    root,
    include: [
      ...node.include,
      'test/connect/*.worker.test.ts',
      'test/storage/{access,connect,ledger,vault}/*.worker.test.ts',
      'test/e2e/{connect,connect-settings,sign-in-rules,consent,access,keys,grants,approvals,accounts}.test.ts',
      'test/attacks/{connect-codes,connect-clients,connect-consent,sign-in-forged}.test.ts',
    ],
    exclude: ['test/architecture.test.ts', 'test/fork.test.ts', 'test/simulation/**'],
    alias: { 'cloudflare:workers': workers, 'cloudflare:test': workers },
    server: { deps: { inline: ['@cloudflare/workers-oauth-provider'] } },
  },
})
