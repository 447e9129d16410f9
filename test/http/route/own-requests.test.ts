import { expect, it } from 'vitest'
import { ADMIN } from '../../../src/core/access/principal.ts'
import { fail, ok } from '../../../src/core/failure/failure.ts'
import { createInternalRequests } from '../../../src/http/route/authorizer.ts'

const NOBODY = fail({ type: 'unauthenticated', reason: 'Nobody' })

it('authenticates a marked request as its principal, and an equal unmarked one as usual', () => {
  const own = createInternalRequests()
  const { authenticate } = own.accept({ authenticate: () => NOBODY })
  const made = own.setPrincipal(ADMIN, new Request('https://s.test/keys'))
  expect(authenticate(made)).toEqual(ok(ADMIN))
  for (const other of [new Request('https://s.test/keys'), new Request(made)]) {
    expect(authenticate(other)).toBe(NOBODY)
  }
  expect(
    createInternalRequests()
      .accept({ authenticate: () => NOBODY })
      .authenticate(made),
  ).toBe(NOBODY)
})

it('rejects marked requests for pages, and no others', async () => {
  const own = createInternalRequests()
  const { authenticate } = own.reject({ authenticate: () => ok(ADMIN) })
  expect(authenticate(own.setPrincipal(ADMIN, new Request('https://s.test/console/keys')))).toMatchObject({
    ok: false,
    failure: { type: 'request-malformed' },
  })
  expect(authenticate(new Request('https://s.test/console/keys'))).toEqual(ok(ADMIN))
})
