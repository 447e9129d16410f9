import { array, type InferOutput, object, optional, stringMatching } from '../tool/json-reader.ts'

const URL_TEXT = stringMatching('a URL without a fragment', /^https?:\/\/[^\s#/?@]{1,255}(?:[/?][^\s#]{0,1700})?$/)
const TOOLKIT = stringMatching("a toolkit's name, such as 'Gmail'", /^[A-Za-z0-9_-]{1,64}$/)

export type IdentityAssertion = InferOutput<typeof identityAssertionReader>

/** Lets people's sign-in replace their consent (draft-ietf-oauth-identity-assertion-authz-grant). */
export const identityAssertionReader = object({
  audience: URL_TEXT,
  resource: optional(URL_TEXT),
  toolkits: array(TOOLKIT, { min: 1, max: 100 }),
})

/** Checks whether a toolkit may send a provider's tokens to these hosts without a person's consent. */
export function replacesConsent(settings: IdentityAssertion | undefined, toolkit: string, hosts: readonly string[]) {
  const [, , host] = settings?.resource?.toLowerCase().split(/[/?]/) ?? []
  const mayReach = host === undefined || hosts.every((requested) => requested === host.replace(/:443$/, ''))
  return mayReach && settings?.toolkits.includes(toolkit) === true
}
