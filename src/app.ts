import { Hono } from 'hono'
import { base64url } from 'jose'
import { version } from '../package.json'
import { archiveFace } from './api/archive/routes.ts'
import { artifactsFace } from './api/artifacts/routes.ts'
import { authorizationsFace } from './api/authorizations/routes.ts'
import { callsFace } from './api/calls/routes.ts'
import { clientsFace } from './api/clients/routes.ts'
import { keysFace } from './api/keys/routes.ts'
import { keyText } from './api/keys/wire.ts'
import { openApiFace } from './api/openapi/routes.ts'
import { policiesFace } from './api/policies/routes.ts'
import { providersFace } from './api/providers/routes.ts'
import { serversFace } from './api/servers/routes.ts'
import { sessionsFace } from './api/sessions/routes.ts'
import { importFace } from './api/toolkits/import/routes.ts'
import { uploadFace } from './api/toolkits/plugin/routes.ts'
import { toolkitsFace } from './api/toolkits/routes.ts'
import { implementationFace } from './api/tools/implementation/routes.ts'
import { registryFace } from './api/tools/routes.ts'
import { agentsFace } from './api/users/agents/routes.ts'
import { grantsFace } from './api/users/routes.ts'
import { composeCalls } from './compose/calls.ts'
import { documentFetch } from './compose/capped-fetch.ts'
import { giveWay, sleep } from './compose/clock.ts'
import { codecs, formats } from './compose/dialects.ts'
import { createDoors } from './compose/doors.ts'
import { log } from './compose/log.ts'
import { mcpDoors } from './compose/mcp-doors.ts'
import { createRecording } from './compose/recording.ts'
import { composeResolver } from './compose/resolver.ts'
import { createRunners } from './compose/runners.ts'
import { createSecretJudges } from './compose/secret-judges.ts'
import { signInProvider } from './compose/sign-in.ts'
import { openStores } from './compose/stores.ts'
import { connectFace } from './connect/routes.ts'
import { createConsole } from './console/routes.ts'
import { choicesOf } from './core/catalogue/choices.ts'
import { createToolSecrets } from './core/access/tool-secrets.ts'
import type { Failure } from './core/failure/failure.ts'
import { knownProvider } from './core/consent/known-providers.ts'
import { createPublish } from './core/publish/publish.ts'
import { machineContextFace } from './dialects/machine-context/routes.ts'
import { VERSIONS_FROM_2026 } from './dialects/mcp/revisions/2026-07-28/envelope.ts'
import { VERSIONS_UNTIL_2025 } from './dialects/mcp/revisions/until-2025-11-25.ts'
import { mcpFace } from './dialects/mcp/routes.ts'
import { openToolCallingFace } from './dialects/open-tool-calling/routes.ts'
import { oxpFace, respond } from './dialects/oxp/routes.ts'
import { plugin } from './dialects/plugin/definition.ts'
import { pluginFace } from './dialects/plugin/routes.ts'
import { docsFace } from './docs/routes.ts'
import type { Config, Env } from './env.ts'
import { hasCredential } from './http/caller/authenticate.ts'
import { crossOriginHeaders, letRead, preflight } from './http/answer/cors.ts'
import { createHealth } from './http/route/health.ts'
import { isLocalRequest } from './http/caller/loopback.ts'
import { failurePage, page } from './http/page/page.ts'
import { unexpected } from './http/answer/unexpected.ts'
import { unknownRoute } from './http/route/unknown-route.ts'
import type { Build } from './node/build.ts'
import { createTextJudge } from './outbound/allowed-url.ts'
import { base64OfBytes, bytesOfBase64 } from './outbound/base64.ts'
import { createFlows } from './sign-in/flow.ts'
import { signInFace } from './sign-in/routes.ts'
import { createAuthorizationServer, createClientStore } from './storage/connect/connect-store.ts'
import { registryStub } from './storage/registry/catalogue/registry-stub.ts'
import { sha256 } from './storage/sealing/sha256.ts'
import { createStateSeal } from './storage/sealing/state-seal.ts'

const title = 'Switchboard'

/** What pages of other sites may use, where the deployment names them: MCP, and what it takes to get a token for it. */
const CROSS_ORIGIN = ['/mcp', '/connect/*', '/.well-known/*']

/** Composes one isolate's Switchboard: adapters below core, faces above it. */
export function createApp(env: Env, config: Config, build: Build): Hono {
  const { now } = Date
  const date = () => new Date()
  const newId = () => crypto.randomUUID()
  const randomBytes = (length: number) => crypto.getRandomValues(new Uint8Array(length))
  const deployedAt = Date.parse(env.VERSION?.timestamp ?? '') || undefined

  // What is kept, what is written down, who is let in, what runs
  const stores = openStores(env, config, build, deployedAt, () => resolver.forget())
  const { registry, deploymentKeys, keys, givenProviders, providers, vault, artifacts, uploads } = stores
  const { catalogue, source, writer, policies, toolkits } = registry
  const recording = createRecording(env, config)
  const { writeAct } = recording
  const doors = createDoors(env, config, stores, recording)
  const { gate, gateBesideTools, gateForPages, shield, sessions, agents, authenticator } = doors
  const { runners, plugins, importers } = createRunners(env, config, build, registry.blobs)

  // The two doors of core, and what they ask
  const resolver = composeResolver(build, stores, runners, config)
  const toolSecrets = createToolSecrets(
    config.toolSecrets,
    config.secretOf,
    (id, tool) => policies.now().ruleOf(tool).secrets.has(id),
    config.judgeToolSecret,
  )
  const secretJudges = createSecretJudges(config, { ...registry.policyStore, now: policies.now }, givenProviders)
  const { callTool, tellReadiness } = composeCalls({ stores, recording, resolver, toolSecrets })
  const publish = createPublish({ codecs, runners, formats, sha256, source, toolSecrets, writer, giveWay })

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
    source,
    writer,
    toolkits,
    tellReadiness,
    shield,
    sha256,
    newId,
    respond: (failure: Failure) => respond(failure),
  }
  const pages = createConsole({
    gate: doors.gateForVisitors,
    async send(c, principal, request) {
      const waitUntil = (work: Promise<unknown>) => c.executionCtx.waitUntil(work)
      return app.fetch(doors.ownRequest(principal, request), env, {
        waitUntil,
        passThroughOnException() {},
        props: {},
      })
    },
    loadAssets: async () => (await import('./generated/console.ts')).assets,
    onPageError,
  })
  const faces = [
    pages.face,
    oxpFace({ ...shared, health }),
    registryFace(shared),
    implementationFace({ ...shared, readBlob: registry.blobs.read }),
    archiveFace({
      ...shared,
      archive: registry.archive,
      signer: deploymentKeys.signer('export'),
      plugins,
      readBlob: registry.blobs.read,
      base64Of: base64OfBytes,
      bytesOf: bytesOfBase64,
      giveWay,
      judgeSecrets: secretJudges.ofTools,
      now: date,
      version,
    }),
    uploadFace({ ...shared, plugins, codec: plugin }),
    importFace({ ...shared, importers, toolSecrets, giveWay }),
    toolkitsFace({ ...shared, keys }),
    keysFace({
      ...shared,
      gate: gateBesideTools,
      keys,
      published: registry.published,
      quota: config.quota,
      onChange: doors.onKeyChange,
      randomKey: () => keyText(randomBytes(32)),
      now: date,
    }),
    mcpFace({
      ...shared,
      doors: mcpDoors(gate, doors.gateForAgents),
      origins: config.allowOrigins,
      seal: createStateSeal({ sealer: deploymentKeys.sealer('state'), now }),
      serverInfo: { name: 'switchboard', title, version },
    }),
    machineContextFace({ ...shared, today: date }),
    openToolCallingFace({ ...shared, gate: doors.gateForEngines, now: date }),
    pluginFace(shared),
    artifactsFace({ ...shared, artifacts, uploads, now }),
    authorizationsFace({
      ...shared,
      gate: gateBesideTools,
      authorizations: vault,
      providers,
      sessions: config.signIn && sessions,
      requiresSignIn: config.signIn !== undefined && config.userVerifierUrl === undefined,
      identifiesPeople: config.userVerifierUrl !== undefined || config.signIn !== undefined,
      now,
      onPageError,
    }),
    openApiFace({ ...shared, routes: () => app.routes, version }),
    docsFace({ ...shared, loadGuides: async () => (await import('./generated/guides.ts')).guides }),
    serversFace({
      ...shared,
      deployment: { title, version, protocolVersions: [...VERSIONS_FROM_2026, ...VERSIONS_UNTIL_2025], deployedAt },
      needsKey: (request) => config.access === 'keys' || (config.access === 'open' && !isLocalRequest(request)),
      async identify(c) {
        if (config.access === 'keys' && !hasCredential(c.req.raw)) return undefined
        const admitted = await gate(c, 'tools:read')
        return admitted.ok ? admitted.value : undefined
      },
      async toolsetsOf(principal) {
        const choices = await choicesOf(principal, catalogue)
        return choices.map(({ toolkit, tools }) => ({ toolkit, tools: tools.length }))
      },
    }),
    callsFace({ ...shared, gate: gateForPages, records: stores.records, version, now }),
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
      server: createAuthorizationServer(stores.connect),
      sessions,
      fetch: documentFetch(config),
      catalogue,
      prepare: registry.takeIn,
      onEnd: agents.forgetAgent,
      shield,
      newId: () => base64url.encode(randomBytes(16)),
      now,
      writeAct,
      onPageError,
    }),
    agentsFace({ ...shared, gate: gateForPages, agents }),
    clientsFace({
      ...shared,
      gate: gateBesideTools,
      clients: createClientStore(stores.connect),
      onChange: agents.forget,
    }),
    grantsFace({ ...shared, gate: gateBesideTools, grants: vault }),
    policiesFace({ ...shared, store: registry.policyStore, judgeSecrets: secretJudges.ofTools }),
    providersFace({
      ...shared,
      gate: gateBesideTools,
      store: givenProviders,
      judgeUrl: createTextJudge(config.allowHttpHosts),
      judgeSecrets: secretJudges.ofClients,
      known: knownProvider,
      connected: stores.connectedProviders,
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
  app.notFound(pages.notFound(unknownRoute(app, gateBesideTools, shared.respond)))
  app.onError(unexpected(shared.respond, newId, log))
  return app
}
