import { limitsOfTool } from '../core/access/limits.ts'
import type { Runner } from '../core/call/runner.ts'
import { callableTool } from '../core/call/callable-tool.ts'
import { createResolver, governResolver, type Resolver } from '../core/call/resolve.ts'
import { loadValidator } from '../core/schema/validator.ts'
import type { Config } from '../env.ts'
import type { Build } from '../node/build.ts'
import type { Stores } from './stores.ts'

/** Tools are as policies have them. Validators are the build's where it carries them, else interpreted. */
export function composeResolver(
  build: Build,
  { registry, memory }: Pick<Stores, 'registry' | 'memory'>,
  runners: ReadonlyMap<string, Runner>,
  { toolLimits }: Pick<Config, 'toolLimits'>,
): Resolver {
  const compiled = new Map(build.tools.map((carried) => [carried.record.digest, carried]))
  const resolver = createResolver({
    source: registry.source,
    memory,
    now: Date.now,
    async makeCallable(record) {
      const { implementation, input, output } = record
      const runner = implementation && runners.get(implementation.kind)
      const runnable =
        implementation && runner
          ? runner.prepare({ ...record, implementation })
          : ({ ok: false, reason: 'It was published without an implementation' } as const)
      const known = compiled.get(record.digest)
      const limits = limitsOfTool(toolLimits, record)
      const tool = {
        record,
        runnable,
        validateInput: known?.validateInput ?? (await loadValidator(input)),
        validateOutput: known?.validateOutput ?? (await loadValidator(output ?? { type: 'null' })),
      }
      return callableTool(tool, limits ? [{ of: '', limits }] : [])
    },
  })
  return governResolver(resolver, registry.policies)
}
