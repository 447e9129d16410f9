import { lookup } from 'node:dns/promises'
import { getCACertificates } from 'node:tls'
import type { Config } from '../env.ts'

export const NETWORK = 'network'

type Settings = Pick<
  Config,
  'allowHttpHosts' | 'userVerifierUrl' | 'connectIssuer' | 'signIn' | 'jwt' | 'findingsWebhook'
>

/**
 * Returns the network options of workerd. Like `global_fetch_strictly_public` in production, they check the addresses that
 * names resolve to: only hosts in the settings may have private addresses, which are looked up once.
 */
export async function networkFor(settings: Settings | undefined) {
  const { allowHttpHosts = [], userVerifierUrl, connectIssuer, signIn, jwt, findingsWebhook } = settings ?? {}
  const urls = [userVerifierUrl, connectIssuer, signIn?.issuer, jwt?.jwksUrl, findingsWebhook?.url].filter(
    (url) => url !== undefined,
  )
  const hosts = [...allowHttpHosts]
    .map((host) => `http://${host}`)
    .concat(urls)
    .map((url) => new URL(url).hostname)
  const addresses = await Promise.all([...new Set(hosts)].map(resolveAddresses))
  const trustedCertificates = getCACertificates(process.platform === 'win32' ? 'default' : 'extra')
  return { allow: ['public', ...addresses.flat()], tlsOptions: { trustBrowserCas: true, trustedCertificates } }
}

/** Miniflare's own network is unrestricted, and only a Worker can replace it. */
export function networkWorker(network: Awaited<ReturnType<typeof networkFor>>) {
  return {
    name: NETWORK,
    modules: true,
    script: 'export default { fetch: (request, { PUBLIC }) => PUBLIC.fetch(request) }',
    compatibilityDate: '2026-10-15',
    serviceBindings: { PUBLIC: { network } },
  }
}

async function resolveAddresses(hostname: string): Promise<readonly string[]> {
  try {
    const addresses = await lookup(hostname.replace(/^\[|\]$/g, ''), { all: true })
    return addresses.map(({ address, family }) => `${address}/${family === 6 ? 128 : 32}`)
  } catch {
    console.warn(`Cannot find the address of '${hostname}': if it is a private one, start again when it can be found`)
    return []
  }
}
