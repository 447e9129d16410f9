import type { HttpPerson, Visited } from './http-person.ts'

/** At the provider's pages: signs in and agrees, where either is asked for. */
export async function answerSignIn(who: HttpPerson, page: Visited, account: string): Promise<Visited> {
  const signedIn = /name="name"/.test(page.text) ? await who.press(page, /Sign in/, { name: account }) : page
  // Where somebody else was signed in, the provider has the browser confirm that they go
  const left = /Submitting Callback/.test(signedIn.text) ? await who.press(signedIn, /Continue/) : signedIn
  return />Allow</.test(left.text) ? who.press(left, /Allow/) : left
}

/** Signs a person in at a Switchboard with its provider; gives where the browser ended. */
export async function signIn(who: HttpPerson, origin: string, account: string, back?: string): Promise<Visited> {
  const to = back === undefined ? '' : `?return=${encodeURIComponent(back)}`
  return answerSignIn(who, await who.open(`${origin}/sign-in${to}`), account)
}
