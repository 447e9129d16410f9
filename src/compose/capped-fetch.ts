import type { Fetch } from '../core/tool/platform.ts'
import type { Config } from '../env.ts'
import { asFetch } from '../outbound/as-fetch.ts'
import { createGuardedFetch } from '../outbound/guarded-fetch.ts'

type Reach = Pick<Config, 'allowHttpHosts'>

/** Bytes that are read of a provider's answer, and of the document that a client describes itself by. */
const MAX_PROVIDER_ANSWER = 1_048_576
const MAX_DOCUMENT = 16_384

/** What providers are asked with: it guards where requests go, and caps answers. */
export function providerFetch(config: Reach): Fetch {
  return cappedFetch(config, MAX_PROVIDER_ANSWER)
}

/** What clients' documents are fetched with. */
export function documentFetch(config: Reach): Fetch {
  return cappedFetch(config, MAX_DOCUMENT)
}

function cappedFetch({ allowHttpHosts }: Reach, maxResponseBytes: number): Fetch {
  return asFetch(createGuardedFetch({ fetch: (...given) => fetch(...given), allowHttpHosts, maxResponseBytes }))
}
