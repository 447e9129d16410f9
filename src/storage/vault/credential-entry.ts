import {
  type CredentialProvider,
  type CredentialValues,
  MAX_CREDENTIAL,
} from '../../core/consent/credential-provider.ts'
import { loadValidator } from '../../core/schema/validator.ts'

/** Returns the first problem of the values, without quoting any of them. */
export async function findCredentialProblem(
  { fields }: CredentialProvider,
  values: CredentialValues,
): Promise<string | undefined> {
  for (const { name, label, pattern } of fields) {
    const value = values[name] ?? ''
    if (value === '') return `'${label}' is empty`
    if (value.length > MAX_CREDENTIAL) return `'${label}' is longer than ${MAX_CREDENTIAL} characters`
    // A header could not contain it either
    if (/\p{Cc}/u.test(value)) return `'${label}' holds a control character, such as the end of a line`
    if (pattern === undefined) continue
    const validate = await loadValidator({ type: 'string', pattern })
    if (validate(value).length > 0) return `'${label}' is not written as it has to be`
  }
  return undefined
}
