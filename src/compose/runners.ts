import type { createKvRegistry } from '../storage/registry/kv/kv-registry.ts'
import { sha256, sha256OfBytes } from '../storage/sealing/sha256.ts'
import type { WriteAuditEvent } from '../core/access/audit-entry.ts'
import type { Runner } from '../core/call/runner.ts'
import type { Importer } from '../core/publish/import.ts'
import type { Config, Env } from '../env.ts'
import { yieldToEventLoop } from '../outbound/event-loop.ts'
import { insideHashes } from '../generated/inside-hashes.ts'
import { createUpstreamImporter } from '../importers/upstream.ts'
import { listedDialects, remoteDialects } from './remote-dialects.ts'
import { createCodeRunner } from '../runners/code/runner.ts'
import { createTextFetch } from '../outbound/fetch-text.ts'
import { createGuardedFetch, type GuardedFetchOptions } from '../outbound/guarded-fetch.ts'
import { createGuardedStream } from '../outbound/guarded-stream.ts'
import { createHttpRunner } from '../runners/http/runner.ts'
import { createKnownRevisions } from '../runners/remote/mcp/known-revisions.ts'
import { createRemoteRunner } from '../runners/remote/runner.ts'
import { createUpstreams } from '../runners/remote/upstreams.ts'
import { createUnreachable } from '../runners/shared/unreachable.ts'
import type { GuestModules } from '../runners/sandbox/sandbox.ts'
import { createPluginReader } from '../runners/wasm/plugin-reader.ts'
import { createWasmRunner } from '../runners/wasm/runner.ts'
import { outboundOptionsFor, toolLog } from './bundled.ts'
import { sleep } from './platform.ts'
import { openSandbox } from './sandbox.ts'

export type Runners = ReturnType<typeof createRunners>

/** Creates all runners and importers. Bundled tools need only `bundled`. */
export function createRunners(
  env: Env,
  config: Config,
  bundled: Runner,
  { blobs, writer }: Pick<ReturnType<typeof createKvRegistry>, 'blobs' | 'writer'>,
  writeAuditEntry: WriteAuditEvent,
) {
  const { now } = Date
  const { allowHttpHosts } = config
  const options = outboundOptionsFor(config)
  const guardedFetch = createGuardedFetch(options)
  const { random } = Math
  const newId = () => crypto.randomUUID()
  const http = createHttpRunner({ guardedFetch, now, sleep, random })
  const guardedStream = createGuardedStream(options)
  const revisions = createKnownRevisions()
  const upstreamDeps = { dialects: remoteDialects, guardedFetch, guardedStream, revisions, now, newId, sha256 }
  const remote = createRemoteRunner({ ...upstreamDeps, sleep, random })
  const upstreams = createUpstreams(upstreamDeps)
  const sandbox = openSandbox(env, config, writer, writeAuditEntry)
  const sandboxDeps = { sandbox, allowHttpHosts, log: toolLog }
  const code = createCodeRunner({ ...sandboxDeps, inside: loadGuestModules('code') })
  const wasm = createWasmRunner({ ...sandboxDeps, inside: loadGuestModules('wasm'), readBlob: blobs.read })
  const plugins = createPluginReader({
    sandbox,
    inside: loadGuestModules('wasm'),
    sha256: sha256OfBytes,
    storeBlob: blobs.store,
    yieldControl: yieldToEventLoop,
  })
  const unreachable = createUnreachable(allowHttpHosts)
  const runners: readonly Runner[] = [bundled, http, remote, code, wasm]
  return {
    runners: new Map(runners.map((runner) => [runner.kind, { ...runner, unreachable }])),
    plugins,
    importers: [
      openApiImporter(options),
      ...listedDialects.map((dialect) => createUpstreamImporter(dialect, upstreams)),
    ],
  }
}

function loadGuestModules(kind: 'code' | 'wasm'): GuestModules {
  return {
    hash: insideHashes[kind],
    modules: async () => (await import('../generated/inside.ts')).inside[kind].modules,
  }
}

/** Loads the code, a twentieth of the Worker, with the first description. */
function openApiImporter(options: GuardedFetchOptions): Importer {
  return {
    kind: 'openapi',
    async read(request) {
      const [{ createOpenApiImporter }, { MAX_JSON }] = await Promise.all([
        import('../importers/openapi/importer.ts'),
        import('../importers/openapi/document-text.ts'),
      ])
      const guardedFetch = createGuardedFetch({ ...options, maxResponseBytes: MAX_JSON })
      const accept = 'application/json, application/yaml, application/openapi+json, */*;q=0.5'
      return createOpenApiImporter({
        fetchText: createTextFetch(guardedFetch, accept, request.fetchCapability),
      }).read(request)
    },
  }
}
