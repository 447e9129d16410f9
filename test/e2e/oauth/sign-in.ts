import type { HttpPerson, Visited } from './http-person.ts'
import { CLIENT_ID, type TestProvider } from './provider.ts'

/** Returns the variables of a deployment whose people sign in with a provider under these rules. */
export function signInVars(provider: TestProvider, rules: readonly object[]): Readonly<Record<string, string>> {
  return {
    SIGN_IN_ISSUER: provider.issuer,
    SIGN_IN_CLIENT_ID: CLIENT_ID,
    SIGN_IN_CLIENT_SECRET: provider.clientSecret,
    SIGN_IN_RULES: JSON.stringify(rules),
  }
}

/** On the provider's pages, signs in and consents if asked. */
export async function answerSignIn(who: HttpPerson, page: Visited, account: string): Promise<Visited> {
  const findSession = /name="name"/.test(page.text) ? await who.press(page, /Sign in/, { name: account }) : page
  // If another person was signed in, the provider asks to confirm that they sign out
  const left = /Submitting Callback/.test(findSession.text) ? await who.press(findSession, /Continue/) : findSession
  return />Allow</.test(left.text) ? who.press(left, /Allow/) : left
}

/** Signs a person in to a Switchboard with its provider. Returns the browser's last page. */
export async function signIn(who: HttpPerson, origin: string, account: string, back?: string): Promise<Visited> {
  const to = back === undefined ? '' : `?return=${encodeURIComponent(back)}`
  return answerSignIn(who, await who.open(`${origin}/sign-in${to}`), account)
}
