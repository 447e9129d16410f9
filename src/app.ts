import { Hono } from 'hono'
import { version } from '../package.json'
import { accessStub } from './storage/access/access-object.ts'
import { createSessionStore } from './storage/access/session-store.ts'
import {
  connectStub,
  createAgentStore,
  createAuthorizationServer,
  createClientStore,
} from './storage/connect/connect-store.ts'
import { createDeploymentKeys } from './storage/access/deployment-keys.ts'
import { createR2Artifacts, noArtifacts } from './storage/artifacts/r2-artifacts.ts'
import { createR2Uploads, noUploads } from './storage/artifacts/r2-uploads.ts'
import { createCallLog } from './storage/records/call-log.ts'
import { createRecords, recordsStub } from './storage/records/records.ts'
import { createRecordWriter } from './storage/records/record-writer.ts'
import { WrittenCall } from './storage/records/written-call.ts'
import { interpretSchema } from './core/schema/validator.ts'
import { createKeyUse } from './storage/access/key-use.ts'
import { createKvKeys } from './storage/access/kv-keys.ts'
import { createKvProviders, eitherProvider } from './storage/access/kv-providers.ts'
import { createKvRegistry } from './storage/registry/kv-registry.ts'
import { registryStub } from './storage/registry/registry-stub.ts'
import { sha256 } from './storage/sha256.ts'
import { createLedger } from './storage/ledger/ledger.ts'
import { createStateSeal } from './storage/state-seal.ts'
import { createVault } from './storage/vault/vaults.ts'
import type { WriteAct } from './core/access/act.ts'
import { ADMIN } from './core/access/principal.ts'
import { type Candidate, createFindCandidates } from './core/call/bare-name.ts'
import { createCallTool } from './core/call/call.ts'
import type { Failure } from './core/call/failure.ts'
import { clientVariables, connectedProvider, knownProvider, knownProviderIds } from './core/consent/known-providers.ts'
import { createPublish } from './core/publish/publish.ts'
import { createReadiness } from './core/call/readiness.ts'
import { governResolver } from './core/call/governed-resolver.ts'
import { createResolver } from './core/call/resolve.ts'
import { createMemory } from './core/tool/memory.ts'
import { createTurns } from './core/call/turns.ts'
import { limitsOfTool } from './core/access/limits.ts'
import type { ToolName } from './core/tool/tool-id.ts'
import { createToolSecrets } from './core/access/tool-secrets.ts'
import { codecs, formats } from './compose/dialects.ts'
import { isTrialOf } from './compose/vaults.ts'
import type { Config, Env } from './env.ts'
import { archiveFace } from './api/archive/routes.ts'
import { artifactsFace } from './api/artifacts/routes.ts'
import { authorizationsFace } from './api/authorizations/routes.ts'
import { agentsFace } from './api/users/agents/routes.ts'
import { callsFace } from './api/calls/routes.ts'
import { grantsFace } from './api/users/routes.ts'
import { importFace } from './api/toolkits/import/routes.ts'
import { clientsFace } from './api/clients/routes.ts'
import { keysFace } from './api/keys/routes.ts'
import { keyText } from './api/keys/wire.ts'
import { consoleFace } from './console/routes.ts'
import { docsFace } from './docs/routes.ts'
import { machineContextFace } from './dialects/machine-context/routes.ts'
import { VERSIONS_FROM_2026 } from './dialects/mcp/revisions/2026-07-28/envelope.ts'
import { VERSIONS_UNTIL_2025 } from './dialects/mcp/revisions/until-2025-11-25.ts'
import { mcpFace } from './dialects/mcp/routes.ts'
import { openToolCallingFace } from './dialects/open-tool-calling/routes.ts'
import { listedLine } from './dialects/oxp/encode.ts'
import { oxpFace, respond } from './dialects/oxp/routes.ts'
import { plugin } from './dialects/plugin/definition.ts'
import { pluginFace } from './dialects/plugin/routes.ts'
import { openApiFace } from './api/openapi/routes.ts'
import { policiesFace } from './api/policies/routes.ts'
import { providersFace } from './api/providers/routes.ts'
import { choicesOf } from './core/access/choices.ts'
import { serversFace } from './api/servers/routes.ts'
import { sessionsFace } from './api/sessions/routes.ts'
import { implementationFace } from './api/tools/implementation/routes.ts'
import { registryFace } from './api/tools/routes.ts'
import { toolkitsFace } from './api/toolkits/routes.ts'
import { uploadFace } from './api/toolkits/plugin/routes.ts'
import { createAgents } from './http/agents.ts'
import { createAuthenticator, hasCredential } from './http/authenticate.ts'
import { crossOriginHeaders, letRead, preflight } from './http/cors.ts'
import { createRefusals } from './http/acts.ts'
import { backgroundOf, createGate, createShield, type RouteContext } from './http/gate.ts'
import { createHealth } from './http/health.ts'
import { createJwtVerifier } from './http/jwt.ts'
import { isLocalRequest, isLoopback } from './http/loopback.ts'
import { createOwnRequests } from './http/own-requests.ts'
import { failurePage, page } from './http/page.ts'
import { createRateLimit } from './http/rate-limit.ts'
import { createSessions } from './http/sessions.ts'
import { unknownRoute } from './http/unknown-route.ts'
import { unexpected } from './http/unexpected.ts'
import { createWorkerVerifier } from './http/worker-jwt.ts'
import { createTextJudge } from './outbound/allowed-url.ts'
import type { Build } from './node/build.ts'
import { base64, base64OfBytes, bytesOfBase64 } from './outbound/base64.ts'
import { giveWay, sleep, startDeadline } from './compose/clock.ts'
import { log } from './compose/log.ts'
import { hostNews, traffic } from './compose/traffic.ts'
import { createRunners } from './compose/runners.ts'
import { createSecretJudges } from './compose/secret-judges.ts'
import { companyTokens, documentFetch, mcpDoors, randomId } from './compose/connect.ts'
import { signInProvider } from './compose/sign-in.ts'
import { span } from './compose/span.ts'
import { connectFace } from './connect/routes.ts'
import { createFlows } from './sign-in/flow.ts'
import { signInFace } from './sign-in/routes.ts'

/** How the registry writes a record as one line of the listing. */
export const writeLine = listedLine

/** Of the 128 MB that an isolate has, what it keeps of the registry takes so much, and tools at work the rest. */
const MEMORY_BYTES = 40_000_000

const title = 'Switchboard'

/** What pages of other sites may use, where the deployment names them: MCP, and what it takes to get a token for it. */
const CROSS_ORIGIN = ['/mcp', '/connect/*', '/.well-known/*']

/** Composes one isolate's Switchboard: adapters below core, faces above it. */
export function createApp(env: Env, config: Config, build: Build): Hono {
  const { now } = Date
  const newId = () => crypto.randomUUID()
  const memory = createMemory(MEMORY_BYTES)
  const reach = { kv: env.REGISTRY, access: accessStub(env.Access), now }
  const deployedAt = Date.parse(env.VERSION?.timestamp ?? '') || undefined
  const deploymentKeys = createDeploymentKeys(reach.access)
  const registry = createKvRegistry({
    kv: env.REGISTRY,
    registry: registryStub(env.Registry),
    writeLine,
    memory,
    now,
    giveWay,
    bundle: { hash: build.hash, records: build.tools.map(({ record }) => record), documents: build.documents },
    deployedAt: deployedAt ?? 0,
    sealer: deploymentKeys.sealer('cursor'),
    onChange: () => resolver.forget(),
  })
  const { catalogue, source, writer } = registry
  const keys = createKvKeys(reach)
  const givenProviders = createKvProviders(reach)
  const connected = (id: string) => connectedProvider(id, config.clientIdOf)
  const providers = eitherProvider(givenProviders, connected)
  const isTrial = isTrialOf(config)
  const vault = createVault({
    namespace: env.Vault,
    providers,
    variablesOf: (id) => (knownProvider(id) ? clientVariables(id) : undefined),
    keepsGrants: (url) =>
      config.vaultKeys.length > 0 && (!config.vaultKeysArePublic || isLoopback(new URL(url).hostname)),
    identifies: (url) => config.userVerifierUrl !== undefined || config.signIn !== undefined || isTrial(url),
  })
  const jwt = config.jwt && createJwtVerifier(config.jwt)
  const { access, adminKey, workerSecret } = config
  const authentication = { access, adminKey, findKey: keys.find, sha256, now }
  const authenticator = createAuthenticator({ ...authentication, jwt })
  const printCall = createCallLog({ print: (message) => console.log(message), sleep })
  const recordsOf = recordsStub(env.Records)
  const recordWriter = createRecordWriter({
    append: (batch) => recordsOf(batch.day).append(batch),
    takeHostNews: hostNews.take,
    keep: config.recordCalls,
    sleep,
    newId,
    defect: (error, lost) => log({ event: 'records-lost', lost, error: String(error) }),
  })
  const writeAct: WriteAct = (act, background) => {
    log({ event: 'act', ...act })
    recordWriter.writeAct(act, background)
  }
  const watch = {
    refused: createRefusals(recordWriter.writeAct, now),
    admitted: createKeyUse((ids, at) => reach.access().noteUse(ids, at), now),
  }
  const rateLimit = createRateLimit(env.RATE_LIMIT, now)
  const own = createOwnRequests()
  const { policies } = registry

  /** What every request needs that has to do with tools; undefined where it is there, as in most. */
  function prepare(c: RouteContext): Promise<void> | undefined {
    const taking = registry.takeIn()
    const age = policies.age()
    if (age === 'old') backgroundOf(c)(policies.read())
    if (age !== 'stale') return taking
    const reading = policies.read()
    return taking ? Promise.all([taking, reading]).then(() => undefined) : reading
  }

  const gate = createGate(own.before(authenticator), rateLimit, prepare, watch)
  // What has nothing to do with tools is there also while the registry is not
  const gateBesideTools = createGate(own.before(authenticator), rateLimit, () => undefined, watch)
  const shield = createShield(rateLimit)
  const sessions = createSessions({
    store: createSessionStore(reach.access),
    authenticator,
    issuer: config.signIn?.issuer,
    rules: config.people.rules ?? [],
    sha256,
    newId,
    now,
  })
  // For what pages of ours ask for: a session counts beside other credentials
  const gateForPages = createGate(own.before(sessions), rateLimit, () => undefined, watch)
  // Who is led to sign in is not refused
  const gateForVisitors = createGate(own.outside({ authenticate: sessions.visitor }), rateLimit, () => undefined, {
    ...watch,
    refused: (c, failure, principal) => failure.type !== 'unauthenticated' && watch.refused(c, failure, principal),
  })
  const connect = connectStub(env.Connect)
  const agents = createAgents({ store: createAgentStore(connect), holderOf: sessions.holderOf, now })
  const forAgents = config.connectIssuer === undefined ? agents : companyTokens(config, config.connectIssuer)
  // At the routes of a worker, an engine's JWT is as good as any other credential
  const engines =
    workerSecret === undefined
      ? undefined
      : createAuthenticator({ ...authentication, jwt: createWorkerVerifier(workerSecret, { otherwise: jwt }) })

  const { runners, plugins, importers } = createRunners(env, config, build, registry.blobs)
  const compiled = new Map(build.tools.map((carried) => [carried.record.digest, carried]))

  const found = createResolver({
    source,
    memory,
    now,
    makeCallable(record) {
      const { implementation, input, output } = record
      const runner = implementation && runners.get(implementation.kind)
      const runnable =
        implementation && runner
          ? runner.prepare({ ...record, implementation })
          : ({ ok: false, reason: 'It was published without an implementation' } as const)
      const known = compiled.get(record.digest)
      return {
        record,
        runnable,
        validateInput: known?.validateInput ?? interpretSchema(input),
        validateOutput: known?.validateOutput ?? interpretSchema(output ?? { type: 'null' }),
      }
    },
  })
  const resolver = governResolver(found, policies)
  /** The tools of this name, whatever their toolkits. */
  async function findTools(name: string): Promise<Candidate[]> {
    const query = { q: name, versions: 'newest', limit: 50 } as const
    const write = ({ id, toolkit, tool, securityLevel }: Candidate) =>
      JSON.stringify({ id, toolkit, tool, securityLevel })
    const found = await catalogue.list(query, ADMIN, { name: 'candidate', write })
    const all = (found?.lines ?? []).map((line): Candidate => JSON.parse(line))
    return all.filter(({ tool }) => tool.toLowerCase() === name.toLowerCase())
  }

  const artifacts = env.ARTIFACTS
    ? createR2Artifacts({
        bucket: env.ARTIFACTS,
        signer: deploymentKeys.signer('artifact'),
        bytesOf: bytesOfBase64,
        base64Of: base64OfBytes,
        now,
      })
    : noArtifacts
  const uploads = env.ARTIFACTS ? createR2Uploads({ bucket: env.ARTIFACTS, base64Of: base64OfBytes, now }) : noUploads
  const mayHave = (id: string, tool: ToolName) => policies.now().ruleOf(tool).secrets.has(id)
  const toolSecrets = createToolSecrets(config.toolSecrets, config.secretOf, mayHave, config.judgeToolSecret)
  const callTool = createCallTool({
    resolver,
    findCandidates: createFindCandidates({ resolver, findTools, now }),
    toolSecrets,
    userTokens: vault,
    approvals: vault,
    artifacts,
    uploads,
    turns: createTurns(now),
    limitsOf(tool) {
      const { limits } = policies.now().ruleOf(tool)
      const fixed = limitsOfTool(config.toolLimits, tool)
      return fixed ? [{ of: '', limits: fixed }, ...limits] : limits
    },
    ledger: createLedger({
      namespace: env.Ledger,
      sealer: deploymentKeys.sealer('ledger'),
      newId,
      defect: (error) => log({ event: 'ledger-unreachable', error: String(error) }),
    }),
    now,
    newId,
    startDeadline,
    base64,
    span,
    writeRecord(record, background) {
      const written = new WrittenCall(record)
      printCall(written, background)
      recordWriter.writeCall(written, background)
    },
    defect: (call_id, tool, message) => log({ event: 'tool-defect', call_id, tool, message }),
  })

  const secretJudges = createSecretJudges(config, { ...registry.policyStore, now: policies.now }, givenProviders)
  const publish = createPublish({ codecs, runners, formats, sha256, source, toolSecrets, writer, giveWay })

  const tellReadiness = createReadiness({
    toolSecrets,
    grants: vault,
    approvals: vault,
    healthOf(host, toolkit) {
      const { state, retryAfterMs } = traffic.health(host, toolkit)
      return { state, ...(retryAfterMs === undefined ? {} : { retry_after_ms: Math.ceil(retryAfterMs) }) }
    },
  })
  const health = createHealth({ version, probe: async () => registryStub(env.Registry)().revision(), now, sleep })

  /** A person gets a page where a program gets a failure in words. */
  const onPageError = unexpected((failure) => page(failurePage(failure)), newId, log)

  /** What most faces take; each is declared with what it uses of it. */
  const shared = {
    gate,
    policies,
    writeAct,
    callTool,
    publish,
    catalogue,
    resolver,
    codecs,
    formats,
    sha256,
    newId,
    respond: (failure: Failure) => respond(failure),
  }
  const faces = [
    consoleFace({
      gate: gateForVisitors,
      async send(c, principal, request) {
        const waitUntil = (work: Promise<unknown>) => c.executionCtx.waitUntil(work)
        return app.fetch(own.of(principal, request), env, { waitUntil, passThroughOnException() {}, props: {} })
      },
      loadAssets: async () => (await import('./generated/console.ts')).assets,
      onPageError,
    }),
    oxpFace({ ...shared, health }),
    registryFace({ ...shared, tellReadiness, writer, source, toolkits: registry.toolkits }),
    implementationFace({ ...shared, source, toolkits: registry.toolkits, readBlob: registry.blobs.read }),
    archiveFace({
      ...shared,
      archive: registry.archive,
      writer,
      source,
      plugins,
      readBlob: registry.blobs.read,
      base64Of: base64OfBytes,
      bytesOf: bytesOfBase64,
      giveWay,
      judgeSecrets: secretJudges.ofTools,
      now: () => new Date(),
      version,
    }),
    uploadFace({ ...shared, plugins, codec: plugin, writer }),
    importFace({ ...shared, importers, toolSecrets, writer, giveWay }),
    toolkitsFace({ ...shared, toolkits: registry.toolkits, keys }),
    keysFace({
      ...shared,
      gate: gateBesideTools,
      keys,
      published: registry.published,
      quota: config.quota,
      onChange(change, id) {
        for (const each of engines ? [authenticator, engines] : [authenticator]) {
          if (change === 'removed') each.forgetKey(id)
          else each.forget()
        }
        if (change !== 'removed') return
        sessions.forgetKey(id)
        agents.forgetKey(id)
      },
      randomKey: () => keyText(crypto.getRandomValues(new Uint8Array(32))),
      now: () => new Date(),
    }),
    mcpFace({
      ...shared,
      doors: mcpDoors(gate, createGate(forAgents, rateLimit, prepare, watch)),
      origins: config.allowOrigins,
      tellReadiness,
      seal: createStateSeal({ sealer: deploymentKeys.sealer('state'), now }),
      serverInfo: { name: 'switchboard', title, version },
    }),
    machineContextFace({ ...shared, today: () => new Date() }),
    openToolCallingFace({
      ...shared,
      gate: engines ? createGate(engines, rateLimit, prepare, watch) : gate,
      now: () => new Date(),
    }),
    pluginFace(shared),
    artifactsFace({ ...shared, artifacts, uploads, shield, now }),
    authorizationsFace({
      ...shared,
      gate: gateBesideTools,
      authorizations: vault,
      providers,
      shield,
      sessions: config.signIn && sessions,
      requiresSignIn: config.signIn !== undefined && config.userVerifierUrl === undefined,
      identifiesPeople: config.userVerifierUrl !== undefined || config.signIn !== undefined,
      now,
      onPageError,
    }),
    openApiFace({ ...shared, shield, routes: () => app.routes, version }),
    docsFace({ ...shared, shield, loadGuides: async () => (await import('./generated/guides.ts')).guides }),
    serversFace({
      ...shared,
      shield,
      deployment: { title, version, protocolVersions: [...VERSIONS_FROM_2026, ...VERSIONS_UNTIL_2025], deployedAt },
      needsKey: (request) => access === 'keys' || (access === 'open' && !isLocalRequest(request)),
      async identify(c) {
        if (access === 'keys' && !hasCredential(c.req.raw)) return undefined
        const admitted = await gate(c, 'tools:read')
        return admitted.ok ? admitted.value : undefined
      },
      async toolsetsOf(principal) {
        const choices = await choicesOf(principal, catalogue)
        return choices.map(({ toolkit, tools }) => ({ toolkit, tools: tools.length }))
      },
    }),
    callsFace({
      ...shared,
      gate: gateForPages,
      records: createRecords({ namespace: env.Records, sealer: deploymentKeys.sealer('cursor'), now }),
      version,
      now,
    }),
    sessionsFace({ ...shared, gate: gateForPages, sessions }),
    signInFace({
      sessions,
      provider: signInProvider(config),
      flows: createFlows(deploymentKeys.sealer('sign-in'), now),
      authenticator,
      sha256,
      shield,
      writeAct,
      now,
      onPageError,
    }),
    connectFace({
      issuer: config.connectIssuer,
      server: createAuthorizationServer(connect),
      sessions,
      fetch: documentFetch(config),
      catalogue,
      prepare: registry.takeIn,
      onEnd: agents.forgetAgent,
      shield,
      newId: randomId,
      now,
      writeAct,
      onPageError,
    }),
    agentsFace({ ...shared, gate: gateForPages, agents }),
    clientsFace({ ...shared, gate: gateBesideTools, clients: createClientStore(connect), onChange: agents.forget }),
    grantsFace({ ...shared, gate: gateBesideTools, grants: vault }),
    policiesFace({
      ...shared,
      store: registry.policyStore,
      judgeSecrets: secretJudges.ofTools,
    }),
    providersFace({
      ...shared,
      gate: gateBesideTools,
      store: givenProviders,
      judgeUrl: createTextJudge(config.allowHttpHosts),
      judgeSecrets: secretJudges.ofClients,
      known: knownProvider,
      connected: () => knownProviderIds.flatMap((id) => connected(id) ?? []),
    }),
  ]

  const app = new Hono()
  // Where no origin is named, no request waits for this
  for (const path of config.allowOrigins.size === 0 ? [] : CROSS_ORIGIN) {
    app.use(path, async (c, next) => {
      const headers = crossOriginHeaders(c.req.raw, config.allowOrigins)
      if (headers && c.req.method === 'OPTIONS') return preflight(headers)
      await next()
      if (headers) letRead(c.res, headers)
      return undefined
    })
  }
  for (const face of faces) app.route('/', face)
  app.notFound(unknownRoute(app, gateBesideTools, shared.respond))
  app.onError(unexpected(shared.respond, newId, log))
  return app
}
