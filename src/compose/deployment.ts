import { version } from '../../package.json'
import { respond } from '../dialects/oxp/routes.ts'
import type { Failure } from '../core/failure/failure.ts'
import type { Config, Env } from '../env.ts'
import type { PublicCaching } from '../http/route/public-route.ts'
import type { Build } from '../node/build.ts'
import { composeCalls } from './calls.ts'
import { createDoors } from './doors.ts'
import { createRecording } from './recording.ts'
import { createBundled, servedOf } from './bundled.ts'
import type { Runners } from './runners.ts'
import { openStores } from './stores.ts'

export type Deployment = ReturnType<typeof composeDeployment>

export function composeDeployment(env: Env, config: Config, whole: Build) {
  const build = servedOf(config, whole)
  const deployedAt = Date.parse(env.VERSION?.timestamp ?? '') || undefined
  const stores = openStores(env, config, build, deployedAt, () => calls.resolver.forget())
  const recording = createRecording(env, config)
  const doors = createDoors(env, config, stores, recording)
  const bundled = createBundled(config, build)
  let runners: Runners | undefined
  const loadRunners = async () => {
    const { createRunners } = await import('./runners.ts')
    return (runners ??= createRunners(env, config, bundled, stores.registry, recording.writeAuditEntry))
  }
  const calls = composeCalls({ config, build, stores, recording, bundled, loadRunners })

  const { writeAuditEntry } = recording
  const { gate, gateBesideTools, gateForPages, gateForToolPages, shield } = doors
  const caching: PublicCaching = config.publicUrl === undefined ? 'private, max-age=300' : 'public, max-age=300'
  const words = { respond: (failure: Failure) => respond(failure) }
  return {
    config,
    stores,
    doors,
    calls,
    loadRunners,
    writeAuditEntry,
    routes: {
      forTools: { ...words, writeAuditEntry, gate },
      besideTools: { ...words, writeAuditEntry, gate: gateBesideTools },
      forPages: { ...words, writeAuditEntry, gate: gateForPages },
      forToolPages: { ...words, gate: gateForToolPages },
      forAnybody: { ...words, shield, caching },
    },
    version,
    deployedAt,
  }
}

export const newId: () => string = crypto.randomUUID.bind(crypto)
