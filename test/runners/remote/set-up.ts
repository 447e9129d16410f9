import { createHash } from 'node:crypto'
import type { JsonObject } from '../../../src/core/tool/json.ts'
import type { Invocation } from '../../../src/core/call/invocation.ts'
import type { RunContext, RunResult } from '../../../src/core/call/runner.ts'
import { listedDialects, remoteDialects } from '../../../src/compose/remote-dialects.ts'
import type { RemoteProtocol } from '../../../src/core/tool/remote-dialect.ts'
import { createUpstreamImporter, type OpenUpstream } from '../../../src/importers/upstream.ts'
import { createGuardedFetch } from '../../../src/outbound/guarded-fetch.ts'
import { createGuardedStream } from '../../../src/outbound/guarded-stream.ts'
import { createKnownRevisions } from '../../../src/runners/remote/mcp/known-revisions.ts'
import { createRemoteRunner } from '../../../src/runners/remote/runner.ts'
import { createUpstreams } from '../../../src/runners/remote/upstreams.ts'
import { contextWith, definitionWith, invocationWith, recordOf } from '../http/records.ts'

// Else the first call would load it, in a time that is the call's own
import '../../../src/runners/remote/mcp/client.ts'

/** Creates the dependencies of remote runners that may reach these hosts. The clock moves when they sleep. */
export function upstreamDeps(...hosts: readonly string[]) {
  const slept: number[] = []
  let time = Date.now()
  const options = { fetch: (...given: Parameters<typeof fetch>) => fetch(...given), allowHttpHosts: new Set(hosts) }
  return {
    dialects: remoteDialects,
    newId: () => 'a-message',
    sha256: async (text: string) => createHash('sha256').update(text).digest('hex'),
    guardedFetch: createGuardedFetch(options),
    guardedStream: createGuardedStream(options),
    revisions: createKnownRevisions(),
    now: () => time,
    sleep: (ms: number) => {
      slept.push(ms)
      time += ms
      return Promise.resolve()
    },
    random: () => 0,
    slept,
  }
}

/** An importer of a protocol, to reach these hosts. */
export function importerOf(protocol: RemoteProtocol, ...hosts: readonly string[]) {
  return importerFrom(protocol, createUpstreams(upstreamDeps(...hosts)))
}

export function importerFrom(protocol: RemoteProtocol, upstreams: OpenUpstream) {
  const dialect = listedDialects.find((each) => each.protocol === protocol)
  if (!dialect) throw new Error(`No protocol '${protocol}'`)
  return createUpstreamImporter(dialect, upstreams)
}

export interface Calling {
  readonly input?: JsonObject
  readonly implementation?: JsonObject
  readonly annotations?: JsonObject
  readonly secrets?: Readonly<Record<string, string>>
  /** Users' tokens, by provider. */
  readonly tokens?: Readonly<Record<string, string>>
  readonly context?: Partial<RunContext & Pick<Invocation, 'userId' | 'answers'>>
  readonly document?: JsonObject
  readonly output?: JsonObject
}

/** Calls a tool of another server through a runner. */
export async function callRemote(
  deps: ReturnType<typeof upstreamDeps>,
  implementation: { readonly url: string; readonly tool: string; readonly protocol?: RemoteProtocol },
  {
    input = {},
    implementation: more = {},
    annotations,
    secrets = {},
    tokens = {},
    context: { userId, answers, ...context } = {},
    document = {},
    output,
  }: Calling = {},
): Promise<RunResult> {
  const needs = {
    secrets: Object.keys(secrets),
    providers: Object.keys(tokens),
    ...(annotations ? { annotations } : {}),
  }
  const whole = { kind: 'remote', protocol: 'mcp', ...implementation, ...more }
  const record = recordOf(definitionWith([], needs), whole)
  const prepared = createRemoteRunner(deps).prepare({
    ...record,
    ...(output && { output }),
    source: { dialect: 'mcp', document },
  })
  if (!prepared.ok) throw new Error(prepared.reason)
  const invocation = { ...invocationWith(input, { secrets, tokens }), userId, answers }
  return prepared.run(invocation, { ...contextWith(), ...context })
}
