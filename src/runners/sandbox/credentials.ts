import { isObject, type Json } from '../../core/tool/json.ts'
import type { RunContext } from '../../core/call/runner.ts'
import type { Definition } from '../../core/tool/tool.ts'
import type { DocumentReader } from '../../core/tool/json-reader.ts'
import {
  type CredentialPlacement,
  formatCredential,
  placeKey,
  readCredential,
  undeclaredCredential,
} from '../shared/credential.ts'
import { headerNameProblem, isHeaderValue } from '../shared/header-rules.ts'
import { hostProblem, MAX_HOSTS } from './allowed-hosts.ts'
import type { PlacedCredential } from './policy.ts'

/** Where the gateway writes a secret or a token into a sandbox's requests, and to which hosts it is sent. */
export interface SandboxCredential extends CredentialPlacement<'header' | 'query'> {
  readonly hosts: readonly string[]
}

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
  const before: SandboxCredential[] = []
  return reader.list(document, '/credentials', (each, path) => {
    const credential = readSandboxCredential(each, path, allowedHosts, reader)
    if (!credential) return undefined
    reader.problems.push(...undeclaredCredential(credential, path, requirements))
    if (before.some((other) => collide(credential, other))) {
      reader.problem(`${path}/name`, `another credential is written to "${credential.name}" already`)
    }
    before.push(credential)
    return credential
  })
}

function readSandboxCredential(
  document: Json,
  path: string,
  allowedHosts: readonly string[],
  reader: DocumentReader,
): SandboxCredential | undefined {
  const placement = readCredential(document, path, ['header', 'query'], reader, ['hosts'])
  const given = isObject(document) ? document['hosts'] : undefined
  const hosts = given === undefined ? allowedHosts : readHosts(given, `${path}/hosts`, reader)
  if (hosts.length === 0) reader.problem(`${path}/hosts`, 'wanted at least one of "allowed_hosts" to send it to')
  for (const host of hosts) {
    if (!allowedHosts.includes(host)) reader.problem(`${path}/hosts`, `"${host}" is not one of "allowed_hosts"`)
  }
  const wrong = placement?.in === 'header' ? headerNameProblem(placement.name) : undefined
  if (wrong !== undefined) reader.problem(`${path}/name`, wrong)
  return placement && { ...placement, hosts }
}

function collide(one: SandboxCredential, other: SandboxCredential): boolean {
  return placeKey(one) === placeKey(other) && one.hosts.some((host) => other.hosts.includes(host))
}

/** Puts the credentials of one call into the words in which they are sent; or says, without a value, why it cannot. */
export function formatCredentials(
  credentials: readonly SandboxCredential[],
  context: Pick<RunContext, 'secrets' | 'tokens'>,
): { readonly placed: readonly PlacedCredential[]; readonly problem?: string } {
  const placed: PlacedCredential[] = []
  for (const credential of credentials) {
    const { id, hosts, in: place, name } = credential
    const { text, problem } = formatCredential(credential, context)
    if (problem !== undefined) return { placed: [], problem }
    if (place === 'header' && !isHeaderValue(text)) return { placed: [], problem: `"${id}" cannot stand in a header` }
    placed.push({ hosts, in: place, name, text })
  }
  return { placed }
}
