import type { Json } from '../../core/tool/json.ts'
import type { RunContext } from '../../core/call/runner.ts'
import type { Definition } from '../../core/tool/tool.ts'
import type { DocumentReader } from '../../core/tool/json-reader.ts'
import { headerNameProblem, isHeaderValue } from '../http/header-rules.ts'
import { hostProblem, MAX_HOSTS } from './allowed-hosts.ts'
import type { PlacedCredential } from './policy.ts'

/** Where the gateway writes a secret or a token into a sandbox's requests. `format` holds `{value}`. */
export interface SandboxCredential {
  readonly source: 'authorization' | 'secret'
  /** The provider's id, or the secret's. */
  readonly id: string
  readonly hosts: readonly string[]
  readonly in: 'header' | 'query'
  readonly name: string
  readonly format: string
}

const FIELDS = ['authorization', 'secret', 'hosts', 'in', 'name', 'format']

/** Reads `allowed_hosts`, at `path`. */
export function readHosts(document: Json | undefined, path: string, reader: DocumentReader): string[] {
  const hosts = reader.list(document, path, (each, at) => {
    const host = reader.string(each, at)
    const wrong = host === undefined ? undefined : hostProblem(host)
    return wrong === undefined ? host : reader.problem(at, wrong)
  })
  if (hosts.length > MAX_HOSTS) reader.problem(path, `wanted at most ${MAX_HOSTS} hosts, got ${hosts.length}`)
  return hosts
}

/**
 * Reads `credentials` as those of an `http` implementation are, in headers and queries, each with the `hosts` it is sent
 * to: some of `allowed_hosts`, and all of them where it does not say. Each must be declared in the requirements.
 */
export function readCredentials(
  document: Json | undefined,
  allowedHosts: readonly string[],
  { requirements }: Definition,
  reader: DocumentReader,
): SandboxCredential[] {
  const declared = {
    authorization: requirements.authorization.map(({ id }) => id),
    secret: requirements.secrets.map(({ id }) => id),
  }
  const before: SandboxCredential[] = []
  return reader.list(document, '/credentials', (each, path) => {
    const credential = readCredential(each, path, allowedHosts, reader)
    if (!credential) return undefined
    const { source, id, name } = credential
    if (!declared[source].includes(id)) {
      reader.problem(`${path}/${source}`, `the tool's requirements do not declare "${id}"`)
    }
    if (before.some((other) => collide(credential, other))) {
      reader.problem(`${path}/name`, `another credential is written to "${name}" already`)
    }
    before.push(credential)
    return credential
  })
}

function readCredential(
  document: Json,
  path: string,
  allowedHosts: readonly string[],
  reader: DocumentReader,
): SandboxCredential | undefined {
  const fields = reader.object(document, path, FIELDS)
  if (!fields) return undefined
  const { authorization, secret } = fields
  if ((authorization === undefined) === (secret === undefined)) {
    return reader.problem(path, 'wanted either "authorization" or "secret"')
  }
  const source = authorization === undefined ? 'secret' : 'authorization'
  const id = reader.string(fields[source], `${path}/${source}`)
  const place = reader.oneOf(fields['in'], `${path}/in`, ['header', 'query'])
  const name = reader.string(fields['name'], `${path}/name`)
  const hosts = fields['hosts'] === undefined ? allowedHosts : readHosts(fields['hosts'], `${path}/hosts`, reader)
  if (hosts.length === 0) reader.problem(`${path}/hosts`, 'wanted at least one of "allowed_hosts" to send it to')
  for (const host of hosts) {
    if (!allowedHosts.includes(host)) reader.problem(`${path}/hosts`, `"${host}" is not one of "allowed_hosts"`)
  }
  if (id === undefined || place === undefined || name === undefined) return undefined
  const wrong = place === 'header' ? headerNameProblem(name) : undefined
  if (wrong !== undefined) reader.problem(`${path}/name`, wrong)
  const bearer = source === 'authorization' && place === 'header' && name.toLowerCase() === 'authorization'
  const format = reader.string(fields['format'] ?? (bearer ? 'Bearer {value}' : '{value}'), `${path}/format`)
  if (format !== undefined && !format.includes('{value}')) {
    reader.problem(`${path}/format`, 'wanted a text that holds "{value}"')
  }
  return { source, id, hosts, in: place, name, format: format ?? '{value}' }
}

function collide(one: SandboxCredential, other: SandboxCredential): boolean {
  const name = ({ in: place, name: written }: SandboxCredential) =>
    place === 'header' ? written.toLowerCase() : written
  const shared = one.hosts.some((host) => other.hosts.includes(host))
  return shared && one.in === other.in && name(one) === name(other)
}

/** Puts the credentials of one call into the words in which they are sent; or says, without a value, why it cannot. */
export function placeCredentials(
  credentials: readonly SandboxCredential[],
  { secrets, tokens }: Pick<RunContext, 'secrets' | 'tokens'>,
): { readonly placed: readonly PlacedCredential[]; readonly problem?: string } {
  const placed: PlacedCredential[] = []
  for (const { source, id, hosts, in: place, name, format } of credentials) {
    const found = (source === 'secret' ? secrets : tokens).get(id)
    if (!found) return { placed: [], problem: `the ${source} "${id}" is missing` }
    const text = format.replaceAll('{value}', () => found.value)
    if (/\p{Cc}/u.test(text) || (place === 'header' && !isHeaderValue(text))) {
      return { placed: [], problem: `"${id}" cannot stand in a ${place}` }
    }
    placed.push({ hosts, in: place, name, text })
  }
  return { placed }
}
