import { waitUntil } from 'cloudflare:workers'
import * as base64url from 'jose/base64url'
import { createAuthorizationsRoutes } from '../api/authorizations/routes.ts'
import { createCallsRoutes } from '../api/calls/routes.ts'
import { createClientsRoutes } from '../api/clients/routes.ts'
import { createEventsRoutes } from '../api/events/routes.ts'
import { createKeysRoutes } from '../api/keys/routes.ts'
import { formatKey } from '../http/caller/key-text.ts'
import { createPoliciesRoutes } from '../api/policies/routes.ts'
import { createProvidersRoutes } from '../api/providers/routes.ts'
import { createSessionsRoutes } from '../api/sessions/routes.ts'
import { createSetupRoutes } from '../api/setup/routes.ts'
import { createScimRoutes } from '../api/scim/routes.ts'
import { createUserAccessRoutes } from '../api/users/access/routes.ts'
import { createAgentsRoutes } from '../api/users/agents/routes.ts'
import { createAccountLinkRoutes } from '../api/users/connect/routes.ts'
import { createGrantsRoutes } from '../api/users/routes.ts'
import { toKeyPrincipal } from '../core/access/stored-key.ts'
import type { Principal } from '../core/access/principal.ts'
import { parseToolRef, toIdRef } from '../core/tool/tool-ref.ts'
import { encodeTask } from '../dialects/oxp/answer-task.ts'
import { createConnectRoutes } from '../connect/routes.ts'
import { findEnabledToolset } from './mcp-endpoints.ts'
import { knownProvider } from '../core/consent/known-providers.ts'
import { createUrlTextCheck, formatAllowHint } from '../outbound/allowed-url.ts'
import { createFlows } from '../sign-in/flow-cookie.ts'
import { createErrorHandler } from '../http/response/error-handler.ts'
import { failurePage, page } from '../http/page/page.ts'
import { createSignInRoutes } from '../sign-in/routes.ts'
import { createAuthorizationServer } from '../storage/connect/connect-store.ts'
import { createCallLimiter } from '../core/call/call-limiter.ts'
import { sha256 } from '../storage/sealing/sha256.ts'
import type { Config } from '../env.ts'
import { type Deployment, newId } from './deployment.ts'
import { printLogEntry, sleep } from './platform.ts'
import { createProviderOAuth, createProviderTest, documentFetch, signInProvider } from './providers.ts'
import { chooseSignInMethod } from './stores.ts'
import { openTasks, openTaskStore } from './tasks.ts'
import type { Publishing } from './publishing.ts'

export const onPageError = createErrorHandler((failure) => page(failurePage(failure)), newId, printLogEntry)

export function composeAccessRoutes(
  { config, stores, authentication, calls, ...deployment }: Deployment,
  { secretChecks }: Pick<Publishing, 'secretChecks'>,
) {
  const { now } = Date
  const { registry, deploymentKeys, keys, storedProviders, providers, vault, connect } = stores
  const clients = { create: connect.createOAuthClient, list: connect.listClients, remove: connect.removeClient }
  const { limitAnonymous, sessions, agents, authenticator, onKeyChange, findVisitorSession } = authentication
  const { writeAuditEntry, version } = deployment
  const { toolRoutes, otherRoutes, pageRoutes } = deployment.routes
  const randomBytes = (length: number) => crypto.getRandomValues(new Uint8Array(length))
  const pageDeps = { sessions, limitAnonymous, now, writeAuditEntry, onPageError }
  const oauth = createProviderOAuth(config)
  const tasks = openTasks({ config, stores, calls })
  const needsTokens = async () => (await providers.list()).some((provider) => provider.identity_assertion)
  async function findCaller(principal: string): Promise<Principal | undefined> {
    const key = principal.startsWith('key:') ? await keys.findById(principal.slice('key:'.length)) : undefined
    return key && toKeyPrincipal(key)
  }
  const userAccess = createUserAccessRoutes({
    ...otherRoutes,
    users: stores.users,
    listKeys: keys.list,
    sessions,
    agents,
    grants: vault,
    removeTasks: (principal) => openTaskStore({ config, stores }).removeAll(principal),
  })
  return [
    createKeysRoutes({
      ...otherRoutes,
      keys,
      toolsets: registry.toolsets,
      locks: registry.locks,
      published: registry.published,
      quota: config.quota,
      onChange(change, id) {
        onKeyChange(change, id)
        if (change === 'removed') waitUntil(openTaskStore({ config, stores }).removeAll(`key:${id}`))
      },
      sha256,
      randomKey: () => formatKey(randomBytes(32)),
      newId,
      now: () => new Date(),
    }),
    createAuthorizationsRoutes({
      ...otherRoutes,
      authorizePage: pageRoutes.authorize,
      ...pageDeps,
      authorizations: vault,
      sleep,
      async findTool(id, background) {
        const resolution = await calls.resolver.resolve(toIdRef(id), undefined, background)
        return resolution.ok ? resolution.tool : undefined
      },
      providers,
      files: stores,
      signInMethod: chooseSignInMethod(config),
      hasVerifier: config.userVerifierUrl !== undefined,
      findCaller,
    }),
    createCallsRoutes({ ...pageRoutes, records: stores.records, tasks, encodeTask, version, now }),
    createSessionsRoutes({ ...pageRoutes, sessions, findSession: findVisitorSession, listKeys: keys.list, vault }),
    createSignInRoutes({
      ...pageDeps,
      provider: signInProvider(config, needsTokens),
      keepSignIn: async (...signIn) => ((await needsTokens()) ? vault.keepSignIn(...signIn) : undefined),
      findMembership: stores.access.findMembership,
      endAccess: userAccess.endAccess,
      flows: createFlows(deploymentKeys.sealer('sign-in'), now),
      authenticator,
      sha256,
    }),
    createConnectRoutes({
      ...pageDeps,
      issuer: config.connectIssuer,
      server: createAuthorizationServer(connect),
      fetchFor: documentFetch(config),
      caching: deployment.routes.publicRoutes.caching,
      catalog: registry.catalog,
      installBundle: registry.installBundle,
      findToolset: (name) => findEnabledToolset(registry.toolsets, name),
      async narrow(principal, background) {
        const { narrowToView } = await import('../http/route/tool-view.ts')
        const narrowedPrincipal = await narrowToView(
          principal,
          { url: 'https://localhost' },
          undefined,
          background,
          registry,
        )
        return narrowedPrincipal.ok ? narrowedPrincipal.value : principal
      },
      onEnd: agents.forgetAgent,
      confirmAgent: agents.confirm,
      newId: () => base64url.encode(randomBytes(16)),
    }),
    createAgentsRoutes({ ...pageRoutes, agents }),
    userAccess.router,
    createScimRoutes({
      ...otherRoutes,
      directory: stores.access,
      endAccess: userAccess.endAccess,
      newId,
      onChange: authentication.forgetPeople,
    }),
    createClientsRoutes({ ...otherRoutes, clients, onChange: agents.forget }),
    createGrantsRoutes({ ...otherRoutes, grants: vault }),
    createAccountLinkRoutes({
      ...toolRoutes,
      userTokens: vault,
      findProvider: providers.find,
      async listTools(toolkit, principal, background) {
        const line = { name: 'id', write: ({ id }: { readonly id: string }) => id }
        const listing = await registry.catalog.list({ versions: 'newest', toolkit, limit: 500 }, principal, line)
        const { resolve } = calls.resolver
        const ids = listing?.lines ?? []
        const results = await Promise.all(ids.map((id) => resolve(parseToolRef(id), principal.view, background)))
        return results.flatMap((result) => (result.ok && result.publisher.trusted ? result.tool : []))
      },
    }),
    createPoliciesRoutes({ ...toolRoutes, store: registry.policyStore, loadSecretCheck: secretChecks.loadToolCheck }),
    createProvidersRoutes({
      ...otherRoutes,
      store: storedProviders,
      providers,
      checkUrl: createUrlTextCheck(config.allowHttpHosts, formatAllowHint),
      loadSecretCheck: secretChecks.loadClientCheck,
      findKnownProvider: knownProvider,
      test: createProviderTest(config, oauth),
    }),
    createEventsRoutes({
      ...otherRoutes,
      store: stores.eventSources,
      loadEvents: stores.loadEvents,
      async findSettingsProblem(settings) {
        const { findSettingsProblem } = await import('../core/event/check-settings.ts')
        const checkSecretName = await secretChecks.loadClientCheck()
        const hasKey = async (id: string) => (await keys.findById(id)) !== undefined
        return findSettingsProblem(settings, { checkSecretName, hasKey, now: now() })
      },
      readSecret: config.readVariable,
      limiter: createCallLimiter(now),
      limitAnonymous,
      now,
    }),
    createSetupRoutes({
      ...otherRoutes,
      setup: describeSetup(config),
      keys,
      providers,
      findMissingSecret: oauth.findMissingSecret,
    }),
  ]
}

function describeSetup({ vaultKeys, vaultKeysArePublic, userVerifierUrl, signIn, people }: Config) {
  const openIdState = people.rules?.length ? 'set' : 'nobody'
  return {
    vaultKeys: vaultKeysArePublic ? 'development' : vaultKeys.length > 0 ? 'set' : 'none',
    signIn: signIn ? openIdState : userVerifierUrl === undefined ? 'none' : 'verifier',
  } as const
}
