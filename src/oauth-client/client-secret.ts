import type { Provider } from '../core/consent/provider.ts'

/**
 * Why a deployment is no client of a provider yet, in words for an administrator; undefined when it is. `secretOf` knows a client's
 * secret by its variable's name.
 */
export function missingSecret(
  { id, client_secret_name: name }: Provider,
  secretOf: (name: string) => string | undefined,
): string | undefined {
  if (name === undefined || secretOf(name) !== undefined) return undefined
  return `The secret of the client at '${id}' is missing: an administrator can set it as the Worker secret '${name}'`
}
