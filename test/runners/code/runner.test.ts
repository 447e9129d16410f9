import { expect, test } from 'vitest'
import type { Json } from '../../../src/core/tool/json.ts'
import { checkCodeImplementation } from '../../../src/runners/code/runner.ts'
import { definitionWith } from '../http/records.ts'

const definition = definitionWith([], { secrets: ['KEY', 'OTHER'], providers: ['google'] })
const ALLOWED = ['a.example', 'b.example:8443']

function check(credentials: Json, allowed_hosts: readonly Json[] = ALLOWED) {
  return checkCodeImplementation({ kind: 'code', module: 'export {}', allowed_hosts, credentials }, definition)
}

function problemsOf(...given: Parameters<typeof check>): string[] {
  const checked = check(...given)
  return checked.ok ? [] : checked.problems.map(({ path, message }) => `${path}: ${message}`)
}

const key = { secret: 'KEY', in: 'header', name: 'X-Key' }

test('the credentials of a code tool go unchanged to all allowed hosts, unless they name some', () => {
  const token = { authorization: 'google', in: 'header', name: 'Authorization', hosts: ['a.example'] }
  const checked = check([key, token])
  expect(checked.ok && checked.value.credentials).toEqual([
    { source: 'secret', id: 'KEY', in: 'header', name: 'X-Key', format: '{value}', hosts: ALLOWED },
    {
      source: 'authorization',
      id: 'google',
      in: 'header',
      name: 'Authorization',
      format: 'Bearer {value}',
      hosts: ['a.example'],
    },
  ])
})

test('the credentials of a code tool may share a name if no host gets both', () => {
  const other = { ...key, secret: 'OTHER', name: 'x-key', hosts: ['b.example:8443'] }
  expect(problemsOf([{ ...key, hosts: ['a.example'] }, other])).toEqual([])
  const twice = "/credentials/1/name: Must be written once, got 'x-key' again"
  expect(problemsOf([key, other])).toEqual([twice])
  expect(problemsOf([{ ...key, in: 'query' }, other])).toEqual([])
})

test.each<[string, object, string]>([
  ['of another host', { hosts: ['c.example'] }, "/hosts: Must be some of 'allowed_hosts', got 'c.example'"],
  ['of another port', { hosts: ['b.example'] }, "/hosts: Must be some of 'allowed_hosts', got 'b.example'"],
  ['of no host', { hosts: [] }, "/hosts: Must name at least one of 'allowed_hosts' to send it to"],
  ['of null', { hosts: null }, '/hosts: Must be an array of at most 32 items, got null'],
  ['undeclared', { secret: 'GONE' }, "/secret: Must be declared in the tool's requirements, got 'GONE'"],
  ['in a path', { in: 'path' }, "/in: Must be one of 'header', 'query', got 'path'"],
  ["in the connection's header", { name: 'Host' }, "/name: Must not be 'Host', which is the connection's own"],
  ['without its value', { format: 'Bearer s3cret' }, "/format: Must be a string that holds '{value}', got a string"],
  ['of two sources', { authorization: 'google' }, ": Must have either 'authorization' or 'secret'"],
])('the credentials of a code tool are refused: %s', (_, more, problem) => {
  expect(problemsOf([{ ...key, ...more }])).toEqual([`/credentials/0${problem}`])
})

test('the credentials of a code tool are checked against the allowed hosts', () => {
  expect(problemsOf([key], ['a.example', 'B.example'])).toEqual([
    "/allowed_hosts/1: Must be written as URLs write hosts: did you mean 'b.example'?",
  ])
})
