import { tracing, waitUntil } from 'cloudflare:workers'
import { findToolLimits } from '../core/access/call-limits.ts'
import type { ToolView } from '../core/access/tool-view.ts'
import { createToolSecrets } from '../core/access/tool-secrets.ts'
import { createFindCandidates, createFindTools } from '../core/call/tool-candidates.ts'
import { type CallDeps, createCallTool } from '../core/call/call.ts'
import { createCallableTool } from '../core/call/callable-tool.ts'
import type { createReadinessCheck, CheckReadiness } from '../core/call/readiness.ts'
import { MODEL_INLINE_BYTES } from '../core/call/output.ts'
import { createResolver, withPolicies, withViews, type Resolver } from '../core/call/resolve-tool.ts'
import type { Runner } from '../core/call/runner.ts'
import { createCallLimiter } from '../core/call/call-limiter.ts'
import type { ReadPage, ReadServer } from '../core/page/read-page.ts'
import { loadValidator, refusingBigIntegers } from '../core/schema/validator.ts'
import type { Span } from '../core/tool/platform.ts'
import type { Config } from '../env.ts'
import type { Build } from '../node/build.ts'
import { toListLine as writeLine } from '../dialects/oxp/encode.ts'
import { base64 } from '../outbound/base64.ts'
import { sha256 } from '../storage/sealing/sha256.ts'
import { holdFiles, printLogEntry, startDeadline, traffic } from './platform.ts'
import { loadOnce } from './load-once.ts'
import type { Recording } from './recording.ts'
import type { Stores } from './stores.ts'

interface CallsDeps {
  readonly config: Config
  readonly build: Build
  readonly stores: Stores
  readonly recording: Recording
  readonly bundled: Runner
  readonly loadRunners: () => Promise<{ readonly runners: ReadonlyMap<string, Runner> }>
}

export function composeCalls(deps: CallsDeps) {
  const { now } = Date
  const { config, stores, recording } = deps
  const { registry, vault, artifacts, uploads, idempotencyRecords, fingerprint } = stores
  const { catalog, policies } = registry
  const resolver = composeResolver(deps)
  const toolSecrets = createToolSecrets(
    config.toolSecrets,
    config.readVariable,
    (id, tool) => policies.current().policyFor(tool).secrets.has(id),
    config.checkToolSecret,
  )
  const findCandidates = createFindCandidates({
    resolver,
    async findTools(name) {
      await registry.installBundle()
      return createFindTools(catalog)(name)
    },
    now,
  })
  const callDeps: CallDeps = {
    resolver,
    findCandidates,
    toolSecrets,
    userTokens: vault,
    approvals: vault,
    artifacts,
    uploads,
    callLimiter: createCallLimiter(now),
    idempotencyRecords,
    inlineBytes: { program: config.inlineBytes, model: Math.min(MODEL_INLINE_BYTES, config.inlineBytes) },
    fingerprint,
    holdFiles,
    now,
    newId: crypto.randomUUID.bind(crypto),
    startDeadline,
    base64,
    span,
    recordsContent: recording.recordsContent,
    writeRecord: recording.writeCall,
    defect: (call_id, tool, message, path) => printLogEntry({ event: 'tool-defect', call_id, tool, message, at: path }),
  }
  const callTool = createCallTool(callDeps)
  const loadReaders = loadOnce(async () => {
    const { createReaders } = await import('../core/page/read-page.ts')
    return createReaders({ ...callDeps, userTokens: vault }, sha256)
  })
  const readPage: ReadPage = async (...request) => (await loadReaders()).readPage(...request)
  const readServer: ReadServer = async (...request) => (await loadReaders()).readServer(...request)
  const readinessDeps: Parameters<typeof createReadinessCheck>[0] = {
    toolSecrets,
    grants: vault,
    approvals: vault,
    async unreachable(implementation) {
      const { runners } = await deps.loadRunners()
      return runners.get(implementation.kind)?.unreachable?.(implementation)
    },
    getHealth(host, toolkit, caller) {
      const { state, retryAfterMs } = traffic.health(host, toolkit, caller)
      return { state, ...(retryAfterMs === undefined ? {} : { retry_after_ms: Math.ceil(retryAfterMs) }) }
    },
  }
  const checkReadiness: CheckReadiness = async (tool, caller) =>
    (await import('../core/call/readiness.ts')).createReadinessCheck(readinessDeps)(tool, caller)
  return { resolver, findCandidates, toolSecrets, callTool, readPage, readServer, checkReadiness }
}

const span: Span = (name, attributes, work) =>
  tracing.enterSpan(name, (activeSpan) => {
    activeSpan.setAttributes(attributes)
    return work()
  })

function composeResolver({ config, build, stores, bundled, loadRunners }: CallsDeps): Resolver {
  const { registry, memory } = stores
  const { toolLimits } = config
  const loadRunner = async (kind: string) => (kind === bundled.kind ? bundled : (await loadRunners()).runners.get(kind))
  const bundledByDigest = new Map(build.tools.map((bundledTool) => [bundledTool.record.digest, bundledTool]))
  const resolver = createResolver({
    source: registry.source,
    memory,
    now: Date.now,
    async makeCallable(record) {
      const { implementation, input, output } = record
      const runner = implementation && (await loadRunner(implementation.kind))
      const runnable =
        implementation && runner
          ? runner.prepare({ ...record, implementation })
          : ({ ok: false, reason: 'It was published without an implementation' } as const)
      const bundledTool = bundledByDigest.get(record.digest)
      const limits = findToolLimits(toolLimits, record)
      const validateInput = await loadValidator(input, bundledTool?.validateInput)
      const tool = {
        record,
        runnable,
        validateInput: bundledTool ? refusingBigIntegers(validateInput) : validateInput,
        validateOutput: await loadValidator(output ?? { type: 'null' }, bundledTool?.validateOutput),
      }
      return createCallableTool(tool, limits ? [{ pattern: '', limits }] : [])
    },
  })
  const governed = withPolicies(resolver, registry.policies)
  return withViews(governed, async () => {
    const [{ resolveInView }, deps] = await Promise.all([import('../core/call/view-tool.ts'), loadViewDeps()])
    return (ref, view, background) => resolveInView(ref, view, background, { ...deps, resolver: governed })
  })
}

/** Loaded on demand, because few callers have a toolset or a lock. */
async function loadViewDeps() {
  const { formatLocked } = await import('../dialects/mcp/tool-document.ts')
  return { formatLocked, sha256 }
}

/** Returns the catalog, which shows a caller with a toolset or lock only the tools in it. */
export function composeCatalog({ registry: { catalog } }: Stores, resolver: Resolver): Stores['registry']['catalog'] {
  const listForView = async (view: ToolView, request: Parameters<typeof catalog.list>) => {
    const [{ listInView }, deps] = await Promise.all([import('../core/call/list-in-view.ts'), loadViewDeps()])
    return listInView(view, { ...deps, list: catalog.list, resolver, writeLine, background: waitUntil }, ...request)
  }

  return {
    ...catalog,
    list(...request) {
      const [, { view }] = request
      return view ? listForView(view, request) : catalog.list(...request)
    },
  }
}
