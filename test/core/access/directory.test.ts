import { describe, expect, it } from 'vitest'
import { type DirectoryUser, isSamePerson, toDirectoryId } from '../../../src/core/access/directory.ts'

const entry = (userName: string, externalId?: string): DirectoryUser => ({
  userName,
  ...(externalId === undefined ? {} : { externalId }),
  active: true,
  emails: [{ value: 'mail@acme.test' }],
})

describe('a user of the directory', () => {
  it.each([
    ['their address', entry('ann@acme.test'), { user: 'ann@acme.test', address: 'ann@acme.test' }],
    ['their address in other letters', entry('Ann@ACME.test'), { user: '00u1', address: 'ann@acme.test' }],
    ['their user id as userName', entry('00u1'), { user: '00u1' }],
    ['their user id as externalId', entry('ann', '00u1'), { user: '00u1', address: 'ann@acme.test' }],
    ['their user id of one of several issuers', entry('ann', '00u1'), { user: 'https://id.test|00u1' }],
    ['a user id with a bar', entry('ann', 'auth0|5'), { user: 'https://id.test|auth0|5' }],
  ])('is the person with %s', (_, user, person) => {
    expect(isSamePerson(user, person)).toBe(true)
  })

  it.each([
    ['another address', entry('ann@acme.test'), { user: 'bob', address: 'bob@acme.test' }],
    ['no address', entry('ann@acme.test'), { user: 'ann' }],
    ['the address in emails only', entry('ann'), { user: 'x', address: 'mail@acme.test' }],
    ['the address as externalId in other letters', entry('x', 'ANN@acme.test'), { user: 'ann@acme.test' }],
    ['a user id in other letters', entry('x', 'AbC'), { user: 'abc' }],
    ['the end of a user id', entry('x', '5'), { user: 'auth0|5' }],
    ['an address with a Kelvin sign', entry('\u212Aate@acme.test'), { user: 'k', address: 'kate@acme.test' }],
    ['no externalId, where the user is undefined', entry('x'), { user: 'undefined' }],
  ])('is not the person with %s', (_, user, person) => {
    expect(isSamePerson(user, person)).toBe(false)
  })

  it('is compared with user ids without their issuer', () => {
    expect(
      ['ann', 'auth0|5', 'https://id.test|a|b', 'http://id.test/x|c'].map((user) => toDirectoryId({ user })),
    ).toEqual(['ann', 'auth0|5', 'a|b', 'c'])
  })
})
