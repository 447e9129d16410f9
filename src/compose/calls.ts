import { tracing } from 'cloudflare:workers'
import { limitsOfTool } from '../core/access/call-limits.ts'
import { createToolSecrets } from '../core/access/tool-secrets.ts'
import { createFindCandidates, createFindTools } from '../core/call/bare-name.ts'
import { createCallTool } from '../core/call/call.ts'
import { callableTool } from '../core/call/callable-tool.ts'
import type { createReadiness, TellReadiness } from '../core/call/readiness.ts'
import { INLINE_FOR_MODELS } from '../core/call/run.ts'
import { createResolver, governResolver, type Resolver } from '../core/call/resolve-tool.ts'
import type { Runner } from '../core/call/runner.ts'
import { createTurns } from '../core/call/count-calls.ts'
import { loadValidator, refusingBigIntegers } from '../core/schema/validator.ts'
import type { Span } from '../core/tool/platform.ts'
import type { Config } from '../env.ts'
import type { Build } from '../node/build.ts'
import { base64 } from '../outbound/base64.ts'
import { holdFiles, log, startDeadline, traffic } from './platform.ts'
import type { Recording } from './recording.ts'
import type { Stores } from './stores.ts'

export interface CallsParts {
  readonly config: Config
  readonly build: Build
  readonly stores: Stores
  readonly recording: Recording
  readonly bundled: Runner
  readonly loadRunners: () => Promise<{ readonly runners: ReadonlyMap<string, Runner> }>
}

export function composeCalls(parts: CallsParts) {
  const { now } = Date
  const { config, stores, recording } = parts
  const { registry, vault, artifacts, uploads, ledger, fingerprint } = stores
  const { catalogue, policies } = registry
  const resolver = composeResolver(parts)
  const toolSecrets = createToolSecrets(
    config.toolSecrets,
    config.variableOf,
    (id, tool) => policies.now().ruleOf(tool).secrets.has(id),
    config.judgeToolSecret,
  )
  const callTool = createCallTool({
    resolver,
    findCandidates: createFindCandidates({
      resolver,
      async findTools(name) {
        await registry.takeIn()
        return createFindTools(catalogue)(name)
      },
      now,
    }),
    toolSecrets,
    userTokens: vault,
    approvals: vault,
    artifacts,
    uploads,
    turns: createTurns(now),
    ledger,
    inlineBytes: { program: config.inlineBytes, model: Math.min(INLINE_FOR_MODELS, config.inlineBytes) },
    fingerprint,
    holdFiles,
    now,
    newId: crypto.randomUUID.bind(crypto),
    startDeadline,
    base64,
    span,
    writeRecord: recording.writeCall,
    defect: (call_id, tool, message, at) => log({ event: 'tool-defect', call_id, tool, message, at }),
  })
  const readinessDeps: Parameters<typeof createReadiness>[0] = {
    toolSecrets,
    grants: vault,
    approvals: vault,
    async unreachable(implementation) {
      const { runners } = await parts.loadRunners()
      return runners.get(implementation.kind)?.unreachable?.(implementation)
    },
    healthOf(host, toolkit, caller) {
      const { state, retryAfterMs } = traffic.health(host, toolkit, caller)
      return { state, ...(retryAfterMs === undefined ? {} : { retry_after_ms: Math.ceil(retryAfterMs) }) }
    },
  }
  const tellReadiness: TellReadiness = async (found, asker) =>
    (await import('../core/call/readiness.ts')).createReadiness(readinessDeps)(found, asker)
  return { resolver, toolSecrets, callTool, tellReadiness }
}

const span: Span = (name, attributes, work) =>
  tracing.enterSpan(name, (entered) => {
    entered.setAttributes(attributes)
    return work()
  })

function composeResolver({ config, build, stores, bundled, loadRunners }: CallsParts): Resolver {
  const { registry, memory } = stores
  const { toolLimits } = config
  const runnerOf = async (kind: string) => (kind === bundled.kind ? bundled : (await loadRunners()).runners.get(kind))
  const compiled = new Map(build.tools.map((carried) => [carried.record.digest, carried]))
  const resolver = createResolver({
    source: registry.source,
    memory,
    now: Date.now,
    async makeCallable(record) {
      const { implementation, input, output } = record
      const runner = implementation && (await runnerOf(implementation.kind))
      const runnable =
        implementation && runner
          ? runner.prepare({ ...record, implementation })
          : ({ ok: false, reason: 'It was published without an implementation' } as const)
      const known = compiled.get(record.digest)
      const limits = limitsOfTool(toolLimits, record)
      const validateInput = await loadValidator(input, known?.validateInput)
      const tool = {
        record,
        runnable,
        validateInput: known ? refusingBigIntegers(validateInput) : validateInput,
        validateOutput: await loadValidator(output ?? { type: 'null' }, known?.validateOutput),
      }
      return callableTool(tool, limits ? [{ of: '', limits }] : [])
    },
  })
  return governResolver(resolver, registry.policies)
}
