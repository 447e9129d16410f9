import { type Credential, type Invocation, listSensitiveValues } from '../../core/call/invocation.ts'
import { base64 } from '../../outbound/base64.ts'
import { createLazyRedact } from '../../outbound/redaction.ts'
import { type CredentialPlacement, formatCredential } from './credential.ts'
import { isCookieValue, isHeaderValue } from './header-rules.ts'
import { encodeStrictly, type UrlTemplate, variableNames } from './url-template.ts'

export type PlacedCredentials = ReturnType<typeof placeCredentials>

type UsedCredential = CredentialPlacement & Credential & { readonly text: string }

const LABEL = /^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?$/

/** Places credentials, but refuses the deployment's if a caller's secret names the host, where the caller could get them. */
export function placeCredentials(
  credentials: readonly CredentialPlacement[],
  template: UrlTemplate,
  invocation: Pick<Invocation, 'secrets' | 'tokens'>,
) {
  const problems: string[] = []
  const usedCredentials = credentials.flatMap((credential): UsedCredential[] => {
    const formattedCredential = formatCredential(credential, invocation)
    if (formattedCredential.problem === undefined) return [{ ...credential, ...formattedCredential }]
    problems.push(formattedCredential.problem)
    return []
  })
  const hostNames = variableNames(template.authority)
  const inHost = usedCredentials.filter((credential) => credential.in === 'path' && hostNames.includes(credential.name))
  const inPath = usedCredentials.filter(
    (credential) => credential.in === 'path' && !hostNames.includes(credential.name),
  )
  const at = (place: 'header' | 'query' | 'cookie' | 'basic') =>
    usedCredentials.filter((credential) => credential.in === place)

  if (inHost.some(({ from }) => from === 'caller')) {
    for (const { id, from } of usedCredentials) {
      if (from === 'deployment') problems.push(`the deployment's "${id}" is not sent to a host that the caller names`)
    }
  }
  const origin = template.scheme === undefined ? readOrigin(inHost[0]) : undefined
  for (const credential of inHost) {
    if (!origin && !isHost(credential.text, standsAlone(template)))
      problems.push(`"${credential.id}" is not a host name`)
  }
  for (const credential of inPath) if (credential.text === '') problems.push(`"${credential.id}" is empty`)
  for (const credential of at('cookie')) {
    if (!isCookieValue(credential.text)) problems.push(`"${credential.id}" cannot stand in a cookie`)
  }
  const headers = new Map(at('header').map((credential) => [credential.name.toLowerCase(), credential.text]))
  for (const credential of at('header')) {
    if (!isHeaderValue(credential.text)) problems.push(`"${credential.id}" cannot stand in a header`)
  }
  const basic = basicCredentials(at('basic'), problems)
  if (basic !== undefined) headers.set('authorization', basic)

  return {
    scheme: origin?.scheme ?? 'https',
    host: new Map(inHost.map((credential) => [credential.name, origin?.host ?? credential.text])),
    /** Percent-encoded, by the URL variable's name. */
    path: new Map(inPath.map((credential) => [credential.name, encodeStrictly(credential.text)])),
    query: at('query').map((credential) => `${encodeStrictly(credential.name)}=${encodeStrictly(credential.text)}`),
    headers,
    cookies: at('cookie').map((credential) => `${credential.name}=${credential.text}`),
    carriesCredential: usedCredentials.length > 0,
    redact: createLazyRedact(() => [
      ...usedCredentials.flatMap((credential) => listRedactedValues(credential)),
      ...(basic === undefined ? [] : [basic.slice('Basic '.length)]),
    ]),
    problems,
  }
}

/** A part that is not secret, such as a site's name, is not redacted in responses. */
function listRedactedValues(credential: UsedCredential): string[] {
  const { field, text, parts } = credential
  const isShown = field !== undefined && parts?.get(field)?.isSecret === false
  return [...(isShown ? [] : [text]), ...listSensitiveValues(credential)]
}

function basicCredentials(parts: readonly UsedCredential[], problems: string[]): string | undefined {
  if (parts.length === 0) return undefined
  const username = parts.find(({ name }) => name === 'username')
  const password = parts.find(({ name }) => name === 'password')
  if (username?.text.includes(':')) problems.push(`"${username.id}" is a user name and must not hold a colon`)
  return `Basic ${base64(`${username?.text ?? ''}:${password?.text ?? ''}`)}`
}

/** Reads a whole origin, such as `https://api.eu.example:8443`. The guarded fetch checks whether it is allowed. */
function readOrigin(credential: UsedCredential | undefined): { scheme: string; host: string } | undefined {
  const [, scheme, host] = /^(https?):\/\/([A-Za-z0-9.-]+(?::\d{1,5})?)\/?$/i.exec(credential?.text ?? '') ?? []
  return scheme === undefined || host === undefined ? undefined : { scheme: scheme.toLowerCase(), host }
}

function standsAlone({ authority }: UrlTemplate): boolean {
  const [first, second] = authority
  return (
    first !== undefined &&
    'name' in first &&
    (second === undefined || ('literal' in second && second.literal.startsWith(':')))
  )
}

function isHost(text: string, whole: boolean): boolean {
  return (whole ? text.split('.') : [text]).every((label) => LABEL.test(label))
}
