import type { HttpPerson, Visited } from './http-person.ts'

/** At the provider's pages: signs in and agrees, where either is asked for. */
export async function answerSignIn(who: HttpPerson, page: Visited, account: string): Promise<Visited> {
  const signedIn = /name="name"/.test(page.text) ? await who.press(page, /Sign in/, { name: account }) : page
  return />Allow</.test(signedIn.text) ? who.press(signedIn, /Allow/) : signedIn
}

/** Signs a person in at a Switchboard with its provider; gives where the browser ended. */
export async function signIn(who: HttpPerson, origin: string, account: string, back?: string): Promise<Visited> {
  const to = back === undefined ? '' : `?return=${encodeURIComponent(back)}`
  return answerSignIn(who, await who.open(`${origin}/sign-in${to}`), account)
}
