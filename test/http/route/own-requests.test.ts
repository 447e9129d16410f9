import { expect, it } from 'vitest'
import { ADMIN } from '../../../src/core/access/principal.ts'
import { fail, ok } from '../../../src/core/failure/failure.ts'
import { createInternalRequests } from '../../../src/http/route/authorizer.ts'

const VISIT = new Request('https://s.test/', { headers: { cookie: 'a=b' } })
const NOBODY = fail({ type: 'unauthenticated', reason: 'Nobody' })

it('authenticates a marked request as its principal, and an equal unmarked one as usual', async () => {
  const own = createInternalRequests()
  const { authenticate } = own.accept({ authenticate: async () => NOBODY })
  const made = own.setPrincipal(ADMIN, new Request('https://s.test/keys'), VISIT)
  expect(await authenticate(made)).toEqual(ok(ADMIN))
  expect(own.getVisit(made)).toBe(VISIT)
  expect(own.getVisit(VISIT)).toBe(VISIT)
  for (const other of [new Request('https://s.test/keys'), new Request(made)]) {
    expect(await authenticate(other)).toBe(NOBODY)
  }
  const others = createInternalRequests().accept({ authenticate: async () => NOBODY })
  expect(await others.authenticate(made)).toBe(NOBODY)
})

it('rejects marked requests for pages, and no others', async () => {
  const own = createInternalRequests()
  const { authenticate } = own.reject({ authenticate: async () => ok(ADMIN) })
  expect(await authenticate(own.setPrincipal(ADMIN, new Request('https://s.test/console/keys'), VISIT))).toMatchObject({
    ok: false,
    failure: { type: 'request-malformed' },
  })
  expect(await authenticate(new Request('https://s.test/console/keys'))).toEqual(ok(ADMIN))
})
