import { version } from '../../package.json'
import { createPublish } from '../core/publish/publish.ts'
import { respond } from '../dialects/oxp/routes.ts'
import type { Failure } from '../core/failure/failure.ts'
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
import { createSecretJudges } from './secret-judges.ts'
import { openStores } from './stores.ts'

export type Deployment = ReturnType<typeof composeDeployment>

/** Each part stands on those above it. */
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

  const { writeAct } = recording
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
    writeAct,
    /** By who is let in. */
    routes: {
      forTools: { ...words, writeAct, gate },
      besideTools: { ...words, writeAct, gate: gateBesideTools },
      forPages: { ...words, writeAct, gate: gateForPages },
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
