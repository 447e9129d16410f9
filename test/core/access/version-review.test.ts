import { expect, it } from 'vitest'
import { ADMIN, type Principal } from '../../../src/core/access/principal.ts'
import { mayReview } from '../../../src/core/access/version-review.ts'

const somebody = (id: string, users: Principal['users']): Principal => ({
  id,
  kind: 'person',
  scopes: ['tools:publish'],
  tools: ['*'],
  users,
})
const ofOwner = (principal: Principal, publisher: string | null) =>
  mayReview(principal, publisher, { principal: principal.id })

it.each<[id: string, users: Principal['users'], publisher: string]>([
  ['person:ann', ['ann'], 'person:ann'],
  ['jwt:ann', ['ann'], 'person:ann'],
  ['person:ann', ['ann'], 'jwt:ann'],
  ['person:ann', ['ann'], 'jwt:https://id.test|ann'],
  ['jwt:https://id.test|ann', ['https://id.test|ann'], 'person:ann'],
  ['jwt:https://id.test|ann', ['https://id.test|ann'], 'jwt:https://other.test|ann'],
  ['jwt:google-oauth2|1', ['google-oauth2|1'], 'person:google-oauth2|1'],
  ['key:k1', ['ann'], 'person:ann'],
  ['key:k1', 'any', 'key:k1'],
])('%s, for the users %j, may not review what they published as %s', (id, users, publisher) => {
  expect(ofOwner(somebody(id, users), publisher)).toBe(false)
})

it.each<[id: string, users: Principal['users'], publisher: string | null]>([
  ['person:ann', ['ann'], 'person:bob'],
  ['person:ann', ['ann'], 'person:joann'],
  ['person:ann', ['ann'], 'jwt:joann'],
  ['person:ann', ['ann'], 'key:k1'],
  ['person:ann', ['ann'], null],
  ['key:k1', 'any', 'person:ann'],
])('%s, for the users %j, may review what %s published in their toolkit', (id, users, publisher) => {
  const ann = somebody(id, users)
  expect(ofOwner(ann, publisher)).toBe(true)
  expect(mayReview(ann, publisher, { principal: 'person:eve' })).toBe(false)
  expect(mayReview(ADMIN, publisher, 'deployment')).toBe(true)
})
