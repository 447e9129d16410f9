import type { Credential, Invocation } from '../../core/call/invocation.ts'
import { base64 } from '../../outbound/base64.ts'
import { createLazyRedact } from '../../outbound/redaction.ts'
import { type CredentialPlacement, formatCredential } from './credential.ts'
import { isCookieValue, isHeaderValue } from './header-rules.ts'
import { encodeStrictly, type UrlTemplate, variableNames } from './url-template.ts'

export type PlacedCredentials = ReturnType<typeof placeCredentials>

type UsedCredential = CredentialPlacement & Credential & { readonly text: string }

const LABEL = /^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?$/

/** The deployment's credentials do not go where the caller's secret names the host: they would go to the caller. */
export function placeCredentials(
  credentials: readonly CredentialPlacement[],
  template: UrlTemplate,
  invocation: Pick<Invocation, 'secrets' | 'tokens'>,
) {
  const problems: string[] = []
  const used = credentials.flatMap((each): UsedCredential[] => {
    const formatted = formatCredential(each, invocation)
    if (formatted.problem === undefined) return [{ ...each, ...formatted }]
    problems.push(formatted.problem)
    return []
  })
  const hostNames = variableNames(template.authority)
  const inHost = used.filter((each) => each.in === 'path' && hostNames.includes(each.name))
  const inPath = used.filter((each) => each.in === 'path' && !hostNames.includes(each.name))
  const at = (place: 'header' | 'query' | 'cookie' | 'basic') => used.filter((each) => each.in === place)

  if (inHost.some(({ from }) => from === 'caller')) {
    for (const { id, from } of used) {
      if (from === 'deployment') problems.push(`the deployment's "${id}" is not sent to a host that the caller names`)
    }
  }
  const origin = template.scheme === undefined ? readOrigin(inHost[0]) : undefined
  for (const each of inHost) {
    if (!origin && !isHost(each.text, standsAlone(template))) problems.push(`"${each.id}" is not a host name`)
  }
  for (const each of inPath) if (each.text === '') problems.push(`"${each.id}" is empty`)
  for (const each of at('cookie')) {
    if (!isCookieValue(each.text)) problems.push(`"${each.id}" cannot stand in a cookie`)
  }
  const headers = new Map(at('header').map((each) => [each.name.toLowerCase(), each.text]))
  for (const each of at('header')) {
    if (!isHeaderValue(each.text)) problems.push(`"${each.id}" cannot stand in a header`)
  }
  const basic = basicCredentials(at('basic'), problems)
  if (basic !== undefined) headers.set('authorization', basic)

  return {
    scheme: origin?.scheme ?? 'https',
    host: new Map(inHost.map((each) => [each.name, origin?.host ?? each.text])),
    /** Percent-encoded, by the URL variable's name. */
    path: new Map(inPath.map((each) => [each.name, encodeStrictly(each.text)])),
    query: at('query').map((each) => `${encodeStrictly(each.name)}=${encodeStrictly(each.text)}`),
    headers,
    cookies: at('cookie').map((each) => `${each.name}=${each.text}`),
    carriesCredential: used.length > 0,
    redact: createLazyRedact(() => [
      ...used.flatMap(({ text, value }) => [text, value]),
      ...(basic === undefined ? [] : [basic.slice('Basic '.length)]),
    ]),
    problems,
  }
}

function basicCredentials(parts: readonly UsedCredential[], problems: string[]): string | undefined {
  if (parts.length === 0) return undefined
  const username = parts.find(({ name }) => name === 'username')
  const password = parts.find(({ name }) => name === 'password')
  if (username?.text.includes(':')) problems.push(`"${username.id}" is a user name and must not hold a colon`)
  return `Basic ${base64(`${username?.text ?? ''}:${password?.text ?? ''}`)}`
}

/** A whole origin, such as `https://api.eu.example:8443`; the guard judges where it leads. */
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
