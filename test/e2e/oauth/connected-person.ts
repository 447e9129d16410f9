import { expect } from 'vitest'
import { connected, rpc } from './agent.ts'
import { HttpPerson } from './http-person.ts'
import { signIn } from './sign-in.ts'
import type { Connected } from './switchboard.ts'

/** Creates a person with a session. */
export async function signInPerson(url: string, name: string): Promise<HttpPerson> {
  const person = new HttpPerson()
  const { status, text } = await signIn(person, url, name)
  expect(status, text).toBe(200)
  return person
}

/** Creates a person of acme.test with a session, an agent and an account. */
export async function connectPerson(edge: Connected, name: string) {
  const { url } = edge.server
  const person = await signInPerson(url, name)
  const { agent, tokens } = await connected(person, url, ['Calculator'])
  const user = `${name}@acme.test`
  const callback = await person.consent((await edge.challenge('Mail.GetEmails', user)).url, name)
  expect(callback.url, callback.text).toContain('/oauth/callback')
  const state = async () => ({
    session: (await person.open(`${url}/sessions`)).status,
    console: new URL((await person.open(`${url}/console/agents`)).url).pathname === '/console/agents',
    agent: (await rpc(url, tokens.access_token, 'tools/list')).status,
    account: (await edge.call('Mail.GetEmails', user)).status,
  })
  return { person, agent, tokens, user, state }
}

/** Expected results for such a person, before and after all their access has ended. */
export const IN = { session: 200, console: true, agent: 200, account: 200 }
export const OUT = { session: 401, console: false, agent: 401, account: 400 }
