import { defineConfig } from 'vitest/config'
import { node, root } from '../vitest.config.ts'

/** The node project, but for what reads the text of the source, which a mutation run has rewritten, or copies it; and for the simulation, which takes long. */
export default defineConfig({
  test: {
    ...node,
    root,
    exclude: [...node.exclude, 'test/architecture.test.ts', 'test/fork.test.ts', 'test/simulation/**'],
  },
})
