import type { Hono } from 'hono'
import type { UserGrants } from '../../core/consent/authorization.ts'
import { type Failing, fail, ok } from '../../core/failure/failure.ts'
import { optional, string } from '../../core/tool/json-reader.ts'
import { query } from '../../http/request/query.ts'
import { component, DONE, items } from '../../http/route/answers.ts'
import { createFace, PLAIN, type RouteDeps } from '../../http/route/route.ts'
import { OF_USER, refuseUser } from './path-user.ts'
import { encodeGrant, type GrantAnswers } from './wire.ts'

export interface GrantsFaceDeps extends RouteDeps {
  readonly grants: UserGrants
}

/**
 * `GET` and `DELETE /users/{user}/grants[/{provider}]`, for those who may act for the user. `?account=` keeps to one of several
 * accounts, `DELETE …?toolkit=` takes it from one toolkit only. No answer has a token.
 */
export function grantsFace({ grants, ...deps }: GrantsFaceDeps): Hono {
  const { face, on } = createFace<GrantAnswers>(deps)
  const CALLER = { scope: 'tools:call', ...PLAIN, ...OF_USER } as const

  on('GET /users/:user/grants', {
    ...CALLER,
    summary: 'List what a user has granted',
    answers: { 200: items('Grants', 'Grant') },
  })(
    async ({ principal, path: { user } }) =>
      refuseUser(principal, user) ?? ok({ items: (await grants.list(user)).map(encodeGrant) }),
  )

  on('DELETE /users/:user/grants', {
    ...CALLER,
    summary: 'Revoke all that a user has granted',
    act: 'grant.revoke',
    answers: DONE,
  })(async ({ principal, path: { user } }) => {
    const refused = refuseUser(principal, user)
    if (refused) return refused
    const held = await grants.list(user)
    await Promise.all(held.map(({ provider, account }) => grants.revoke(user, provider, { account })))
    return ok(undefined)
  })

  on('GET /users/:user/grants/:provider', {
    ...CALLER,
    summary: 'Read what a user has granted at a provider',
    query: query({ account: optional(string()) }),
    answers: { 200: component('The grant', 'Grant') },
  })(async ({ principal, path: { user, provider }, query: { account } }) => {
    const refused = refuseUser(principal, user)
    if (refused) return refused
    const all = (await grants.list(user)).filter((grant) => grant.provider === provider)
    const found = all.find((grant) => account === undefined || grant.account === account)
    return found ? ok(encodeGrant(found)) : unknown(provider)
  })

  on('DELETE /users/:user/grants/:provider', {
    ...CALLER,
    summary: 'Revoke what a user has granted at a provider',
    act: 'grant.revoke',
    query: query({ account: optional(string()), toolkit: optional(string()) }),
    answers: DONE,
  })(async ({ principal, path: { user, provider }, query }) => {
    const refused = refuseUser(principal, user)
    if (refused) return refused
    return (await grants.revoke(user, provider, query)) ? ok(undefined) : unknown(provider)
  })

  return face
}

function unknown(provider: string): Failing {
  return fail({ type: 'not-found', message: `Cannot find a grant at '${provider.slice(0, 200)}'` })
}
