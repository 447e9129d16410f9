import type { CredentialProvider, CredentialValues } from '../core/consent/credential-provider.ts'
import type { ProviderTestStep } from '../core/consent/provider.ts'
import type { Fetch } from '../core/tool/platform.ts'
import { FOREIGN_JSON, parseJson } from '../core/tool/json-text.ts'
import { getAtPointer, parsePointer } from '../core/tool/problem.ts'
import { fillTemplate } from './credential-values.ts'

export type CredentialCheckResult =
  | { readonly ok: true; readonly account?: string }
  | { readonly ok: false; readonly why: 'refused' | 'unavailable'; readonly message: string; readonly status?: number }

export type CheckCredential = (provider: CredentialProvider, values: CredentialValues) => Promise<CredentialCheckResult>

const TIMEOUT_MS = 10_000
/** Other statuses, such as 404 and 429, do not mean that the credential is wrong. */
const REFUSALS: readonly number[] = [400, 401, 403, 422]

/**
 * Tries a credential, such as one that a person entered, at the provider. Without a check, any credential passes. Messages do
 * not quote the response. Redirects are not followed, because they could send the credential to an unknown host.
 */
export async function checkCredential(
  { id, name, fields, check }: CredentialProvider,
  values: CredentialValues,
  fetch: Fetch,
): Promise<CredentialCheckResult> {
  if (!check) return { ok: true }
  const unavailable = (how: string) =>
    ({ ok: false, why: 'unavailable', message: `'${id}' cannot be asked now: ${how}` }) as const
  try {
    const headers = Object.entries(check.headers ?? {}).map(([header, text]) => [header, fillTemplate(text, values)])
    const response = await fetch(fillTemplate(check.url, values, encodeURIComponent), {
      method: check.method,
      headers: { 'accept': 'application/json', 'user-agent': 'switchboard', ...Object.fromEntries(headers) },
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const { status } = response
    if (response.ok) {
      const account = check.account === undefined ? undefined : readAccount(await response.text(), check.account)
      const isSecret = fields.some((field) => field.isSecret && account?.includes(values[field.name] ?? ''))
      return { ok: true, ...(account === undefined || isSecret ? {} : { account }) }
    }
    if (status >= 300 && status < 400) return unavailable('its check redirects, which an administrator must put right')
    if (!REFUSALS.includes(status)) return unavailable(`it answered ${status}`)
    return { ok: false, why: 'refused', message: `${name} does not accept this (${status})`, status }
  } catch {
    return unavailable('it gave no usable answer')
  }
}

/** Tests with a made-up credential whether the check detects a wrong one. */
export async function testCredentialCheck(
  provider: CredentialProvider,
  fetch: Fetch,
): Promise<readonly ProviderTestStep[]> {
  const step = (state: ProviderTestStep['state'], message: string) => [{ name: 'check', state, message } as const]
  if (!provider.check) return step('unclear', 'It has no check: what people enter is not tried before it is stored')
  const values = Object.fromEntries(provider.fields.map(({ name }) => [name, 'switchboard-test']))
  const result = await checkCredential(provider, values, fetch)
  if (result.ok) return step('failed', 'The check accepts a made-up credential')
  return result.why === 'refused'
    ? step('ok', 'The check refuses a made-up credential')
    : step('failed', result.message)
}

function readAccount(text: string, pointer: string): string | undefined {
  const answer = parseJson(text, FOREIGN_JSON)
  const account = answer.ok ? getAtPointer(answer.value, parsePointer(pointer) ?? []) : undefined
  const name = typeof account === 'string' || typeof account === 'number' ? String(account).trim() : ''
  return /^\P{C}{1,64}$/u.test(name) ? name : undefined
}
