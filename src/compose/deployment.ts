import { version } from '../../package.json'
import { type JudgeSecret, type Policies, type PolicyStore, secretsOf } from '../core/access/policy.ts'
import type { ProviderStore } from '../core/consent/provider.ts'
import { createPublish } from '../core/publish/publish.ts'
import { respond } from '../dialects/oxp/routes.ts'
import { type Failure, Unreachable } from '../core/failure/failure.ts'
import type { Config, Env } from '../env.ts'
import { unexpected } from '../http/answer/unexpected.ts'
import { failurePage, page } from '../http/page/page.ts'
import type { Build } from '../node/build.ts'
import { sha256 } from '../storage/sealing/sha256.ts'
import { composeCalls } from './calls.ts'
import { codecs, formats } from './dialects.ts'
import { createDoors } from './doors.ts'
import { giveWay, log } from './platform.ts'
import { createRecording } from './recording.ts'
import { createRunners } from './runners.ts'
import { openStores } from './stores.ts'

export type Deployment = ReturnType<typeof composeDeployment>

export function composeDeployment(env: Env, config: Config, build: Build) {
  const deployedAt = Date.parse(env.VERSION?.timestamp ?? '') || undefined
  const stores = openStores(env, config, build, deployedAt, () => calls.resolver.forget())
  const recording = createRecording(env, config)
  const doors = createDoors(env, config, stores, recording)
  const { registry, givenProviders } = stores
  const { runners, plugins, importers } = createRunners(env, config, build, registry.blobs)
  const calls = composeCalls({ config, build, stores, recording, runners })
  const { source, writer, policies, policyStore } = registry
  const { toolSecrets } = calls
  const publish = createPublish({ codecs, runners, formats, sha256, source, toolSecrets, writer, giveWay })
  const secretJudges = createSecretJudges(config, { ...policyStore, now: policies.now }, givenProviders)

  const { writeAuditEntry } = recording
  const { gate, gateBesideTools, gateForPages, shield } = doors
  const words = { respond: (failure: Failure) => respond(failure) }
  return {
    config,
    stores,
    doors,
    plugins,
    importers,
    calls,
    publish,
    secretJudges,
    writeAuditEntry,
    routes: {
      forTools: { ...words, writeAuditEntry, gate },
      besideTools: { ...words, writeAuditEntry, gate: gateBesideTools },
      forPages: { ...words, writeAuditEntry, gate: gateForPages },
      forAnybody: { ...words, shield },
    },
    onPageError: unexpected((failure) => page(failurePage(failure)), newId, log),
    version,
    deployedAt,
  }
}

export function newId(): string {
  return crypto.randomUUID()
}

/** No secret may be a tool's and a provider's client's at once. */
function createSecretJudges(
  { judgeToolSecret, judgeClientSecret }: Pick<Config, 'judgeToolSecret' | 'judgeClientSecret'>,
  policies: Pick<PolicyStore, 'list'> & Policies,
  providers: Pick<ProviderStore, 'list'>,
) {
  /** The last known ones while the registry cannot be reached, so that administrators need not wait for it. */
  async function secretsOfPolicies(): Promise<ReadonlySet<string>> {
    try {
      return secretsOf(await policies.list())
    } catch (error) {
      if (error instanceof Unreachable) return policies.now().secrets
      throw error
    }
  }

  return {
    async ofTools(): Promise<JudgeSecret> {
      const held = new Set((await providers.list()).map(({ client_secret_name: name }) => name))
      return (name) =>
        held.has(name) ? "Is the secret of a provider's client, and no tool may have it" : judgeToolSecret(name)
    },
    async ofClients(): Promise<JudgeSecret> {
      const named = await secretsOfPolicies()
      return (name) => (named.has(name) ? 'Is a secret of tools, as a policy has it' : judgeClientSecret(name))
    },
  }
}
