import type { JwtVerifier } from './jwt.ts'

/** Makes one verifier of two: what the first refuses, the second judges, if there is one. */
export function eitherVerifier(first: JwtVerifier, second: JwtVerifier | undefined): JwtVerifier {
  if (!second) return first
  return {
    async verify(token) {
      const verified = await first.verify(token)
      return verified.ok ? verified : second.verify(token)
    },
  }
}
