import * as base64url from 'jose/base64url'
import { authorizationsFace } from '../api/authorizations/routes.ts'
import { callsFace } from '../api/calls/routes.ts'
import { clientsFace } from '../api/clients/routes.ts'
import { keysFace } from '../api/keys/routes.ts'
import { keyText } from '../http/caller/key-text.ts'
import { policiesFace } from '../api/policies/routes.ts'
import { providersFace } from '../api/providers/routes.ts'
import { sessionsFace } from '../api/sessions/routes.ts'
import { setupFace } from '../api/setup/routes.ts'
import { agentsFace } from '../api/users/agents/routes.ts'
import { grantsFace } from '../api/users/routes.ts'
import { principalOf } from '../core/access/api-key.ts'
import type { Principal } from '../core/access/principal.ts'
import { connectFace } from '../connect/routes.ts'
import { knownProvider } from '../core/consent/known-providers.ts'
import { createTextJudge, howToAllow } from '../outbound/allowed-url.ts'
import { createFlows } from '../sign-in/flow-cookie.ts'
import { unexpected } from '../http/answer/unexpected.ts'
import { failurePage, page } from '../http/page/page.ts'
import { signInFace } from '../sign-in/routes.ts'
import { createAuthorizationServer } from '../storage/connect/connect-store.ts'
import { sha256 } from '../storage/sealing/sha256.ts'
import type { Config } from '../env.ts'
import { type Deployment, newId } from './deployment.ts'
import { log } from './platform.ts'
import { documentFetch, signInProvider } from './providers.ts'
import { signsInByKey } from './stores.ts'
import type { Publishing } from './publishing.ts'

export const onPageError = unexpected((failure) => page(failurePage(failure)), newId, log)

export function accessFaces(
  { config, stores, doors, calls, ...deployment }: Deployment,
  { secretJudges }: Pick<Publishing, 'secretJudges'>,
) {
  const { now } = Date
  const { registry, deploymentKeys, keys, givenProviders, providers, vault, connect } = stores
  const clients = { create: connect.giveClient, list: connect.clients, remove: connect.removeClient }
  const { shield, sessions, agents, authenticator, onKeyChange } = doors
  const { writeAuditEntry, version } = deployment
  const { forTools, besideTools, forPages } = deployment.routes
  const randomBytes = (length: number) => crypto.getRandomValues(new Uint8Array(length))
  const { signIn, userVerifierUrl } = config
  const forPeople = { sessions, shield, now, writeAuditEntry, onPageError }
  const byKey = signsInByKey(config)
  async function callerOf(principal: string): Promise<Principal | undefined> {
    const key = principal.startsWith('key:') ? await keys.withId(principal.slice('key:'.length)) : undefined
    return key && principalOf(key)
  }
  return [
    keysFace({
      ...besideTools,
      keys,
      published: registry.published,
      quota: config.quota,
      onChange: onKeyChange,
      sha256,
      randomKey: () => keyText(randomBytes(32)),
      newId,
      now: () => new Date(),
    }),
    authorizationsFace({
      ...besideTools,
      gateForPages: forPages.gate,
      ...forPeople,
      authorizations: vault,
      async findTool(id, background) {
        const found = await calls.resolver.resolve(id, background)
        return found.ok ? found.tool : undefined
      },
      providers,
      files: stores,
      sessions: signIn || byKey ? sessions : undefined,
      requiresSignIn: signIn !== undefined && userVerifierUrl === undefined,
      identifiesPeople: userVerifierUrl !== undefined || signIn !== undefined || byKey,
      callerOf: byKey ? callerOf : undefined,
    }),
    callsFace({ ...forPages, records: stores.records, version, now }),
    sessionsFace({ ...forPages, sessions }),
    signInFace({
      ...forPeople,
      provider: signInProvider(config),
      flows: createFlows(deploymentKeys.sealer('sign-in'), now),
      authenticator,
      sha256,
    }),
    connectFace({
      ...forPeople,
      issuer: config.connectIssuer,
      server: createAuthorizationServer(connect),
      fetchFor: documentFetch(config),
      caching: deployment.routes.forAnybody.caching,
      catalogue: registry.catalogue,
      prepare: registry.takeIn,
      onEnd: agents.forgetAgent,
      newId: () => base64url.encode(randomBytes(16)),
    }),
    agentsFace({ ...forPages, agents }),
    clientsFace({ ...besideTools, clients, onChange: agents.forget }),
    grantsFace({ ...besideTools, grants: vault }),
    policiesFace({ ...forTools, store: registry.policyStore, judgeSecrets: secretJudges.ofTools }),
    providersFace({
      ...besideTools,
      store: givenProviders,
      providers,
      judgeUrl: createTextJudge(config.allowHttpHosts, howToAllow),
      judgeSecrets: secretJudges.ofClients,
      known: knownProvider,
    }),
    setupFace({ ...besideTools, setup: setupOf(config), keys, providers }),
  ]
}

function setupOf({ vaultKeys, vaultKeysArePublic, userVerifierUrl, signIn, people }: Config) {
  const withOpenId = people.rules?.length ? 'set' : 'nobody'
  return {
    vaultKeys: vaultKeysArePublic ? 'development' : vaultKeys.length > 0 ? 'set' : 'none',
    signIn: signIn ? withOpenId : userVerifierUrl === undefined ? 'none' : 'verifier',
  } as const
}
