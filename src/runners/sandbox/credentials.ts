import type { Invocation } from '../../core/call/invocation.ts'
import { isJsonObject, isJsonArray, type Json } from '../../core/tool/json.ts'
import * as json from '../../core/tool/json-reader.ts'
import type { Requirements } from '../../core/tool/tool.ts'
import {
  type CredentialPlacement,
  formatCredential,
  rejectDuplicatePlacement,
  PLACEMENT_FIELDS,
} from '../shared/credential.ts'
import { toPlacement, requireOneSource } from '../shared/credential.ts'
import { headerNameProblem, isHeaderValue } from '../shared/header-rules.ts'
import type { PlacedCredential } from './egress.ts'

interface SandboxCredential extends CredentialPlacement<'header' | 'query'> {
  readonly hosts: readonly string[]
}

export function sandboxCredentials(implementation: Json, requirements: Requirements) {
  const declaredHosts = validHosts(isJsonObject(implementation) ? implementation.allowed_hosts : undefined)
  const hosts = json.transform(json.optional(allowedHosts, declaredHosts), (hosts, report) => {
    if (hosts.length === 0) json.addProblem(report, "Must name at least one of 'allowed_hosts' to send it to")
    for (const host of hosts) {
      if (!declaredHosts.includes(host)) json.addProblem(report, `Must be some of 'allowed_hosts', got '${host}'`)
    }
    return hosts
  })
  const fields = json.object({ ...PLACEMENT_FIELDS, in: json.enumReader(['header', 'query']), hosts })
  const credential = rejectDuplicatePlacement<SandboxCredential>(
    json.transform(fields, (fieldValues) => ({ ...toPlacement(fieldValues), hosts: fieldValues.hosts })),
    requirements,
    headerNameProblem,
    (first, second) => first.hosts.some((host) => second.hosts.includes(host)),
  )
  return json.optional(json.array(requireOneSource(credential, { hosts })), [])
}

function validHosts(hosts: Json | undefined): readonly string[] {
  const results = isJsonArray(hosts) ? hosts.map((host) => json.parseValue(allowedHost, host)) : []
  return results.flatMap((result) => (result.ok ? [result.value] : []))
}

/** A problem does not contain a credential's value. */
export function formatCredentials(
  credentials: readonly SandboxCredential[],
  invocation: Pick<Invocation, 'secrets' | 'tokens'>,
): { readonly placed: readonly PlacedCredential[]; readonly problem?: string } {
  const placed: PlacedCredential[] = []
  for (const credential of credentials) {
    const { id, hosts, in: place, name } = credential
    const { text, problem } = formatCredential(credential, invocation)
    if (problem !== undefined) return { placed: [], problem }
    if (place === 'header' && !isHeaderValue(text)) return { placed: [], problem: `"${id}" cannot stand in a header` }
    placed.push({ hosts, in: place, name, text })
  }
  return { placed }
}

/** `host` or `host:port` as the URL Standard writes them: lower case, IPv6 in brackets, other scripts in Punycode. */
export const allowedHost = json.refine(
  json.stringMatching(
    "a host such as 'api.example.com', or 'api.example.com:8443'",
    (entry) => !/[/?#@\\*\s]/.test(entry) && URL.canParse(`https://${entry}`),
  ),
  (entry) => {
    const { host, port } = new URL(`https://${entry}`)
    // A URL's host omits the scheme's default port
    const urlHost = port === '' && entry.endsWith(':443') ? `${host}:443` : host
    return urlHost === entry
      ? undefined
      : `Must be written as URLs write hosts: did you mean '${urlHost.slice(0, 100)}'?`
  },
)

export const allowedHosts = json.array(allowedHost, { max: 32 })
