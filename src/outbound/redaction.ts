import { createRedactor, type Redactor } from '../core/call/redact.ts'
import { base64 } from './base64.ts'

export type Redact = (text: string) => string

/** Secrets are fetched at the first use, since few calls have one. */
export function createLazyRedact(secrets: () => readonly string[]): Redact {
  let made: { readonly redactor: Redactor | undefined } | undefined
  return (text) => {
    made ??= { redactor: createRedactor(secrets(), base64) }
    return made.redactor?.text(text) ?? text
  }
}
