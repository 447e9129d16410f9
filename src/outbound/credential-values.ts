import { type CredentialProvider, type CredentialValues, VARIABLE } from '../core/consent/credential-provider.ts'
import { base64 } from './base64.ts'

/** Returns the whole credential as sent: Basic credentials (RFC 7617) without their scheme, or the only value. */
export function toWholeValue({ kind, fields }: CredentialProvider, values: CredentialValues): string {
  if (kind === 'basic') return encodeBasic(values)
  return fields.length === 1 ? (values[fields[0]?.name ?? ''] ?? '') : ''
}

/** Fills in a template of a check. `encode` is for URLs. */
export function fillTemplate(template: string, values: CredentialValues, encode = (value: string) => value): string {
  return template.replaceAll(VARIABLE, (_, name: string) =>
    encode(name === 'basic' && values.basic === undefined ? encodeBasic(values) : (values[name] ?? '')),
  )
}

function encodeBasic({ username = '', password = '' }: CredentialValues): string {
  return base64(`${username}:${password}`)
}
