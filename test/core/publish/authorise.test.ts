import { expect, it } from 'vitest'
import { ADMIN, type Principal } from '../../../src/core/access/principal.ts'
import { findCredentialDenial, findPublisherRights } from '../../../src/core/publish/publish.ts'
import { NO_REQUIREMENTS, type Requirements } from '../../../src/core/tool/tool.ts'
import { principal } from './fakes.ts'

const tool = (
  name: string,
  requirements: Partial<Requirements> = {},
): Parameters<typeof findCredentialDenial>[1][number] => ({
  toolkit: 'Kit',
  tool: name,
  implementation: { kind: 'http' },
  requirements: { ...NO_REQUIREMENTS, ...requirements },
})
const secrets = (...ids: readonly string[]) => ({ secrets: ids.map((id) => ({ id })) })
const authorization = (...ids: readonly string[]) => ({ authorization: ids.map((id) => ({ id })) })

/** KEY is granted to every tool of Kit, ONE to Kit.A alone. */
const toolSecrets = {
  isGranted: (id: string, { tool: name }: { readonly tool: string }) => id === 'KEY' || (id === 'ONE' && name === 'A'),
}
const denied = (by: Principal, ...tools: readonly ReturnType<typeof tool>[]) =>
  findCredentialDenial(by, tools, toolSecrets)

it('a publisher may publish tools that its credential covers', () => {
  expect(denied(principal('Kit.*'), tool('A'), tool('B'))).toBeUndefined()
  expect(denied(principal('*'), tool('A'))).toBeUndefined()
  expect(denied(principal('*'))).toBeUndefined()
})

it('a publisher may publish no other tools, and is told the first of them', () => {
  expect(denied(principal('Other.*'), tool('A'))).toBe("The credential does not cover 'Kit.A'")
  expect(denied(principal('Kit.A', 'Kit.B'), tool('A'), tool('B'), tool('C'), tool('D'))).toBe(
    "The credential does not cover 'Kit.C'",
  )
  expect(denied(principal(), tool('A'))).toBe("The credential does not cover 'Kit.A'")
})

it('a publisher must be named for a tool that may have a secret', () => {
  const reason =
    "'Kit.A' may have the secret 'KEY': to publish it, the credential must name it or its toolkit, such as 'Kit.*'"
  for (const pattern of ['*', '*.*', 'K*.A', '*.A']) {
    expect(denied(principal(pattern), tool('A', secrets('NONE', 'KEY')))).toBe(reason)
  }
  for (const pattern of ['Kit.*', 'Kit.A', 'kit.a']) {
    expect(denied(principal(pattern), tool('A', secrets('KEY')))).toBeUndefined()
  }
  expect(denied(ADMIN, tool('A', secrets('KEY')))).toBeUndefined()
})

it('a publisher need not be named for a secret that the tool may not have', () => {
  expect(denied(principal('*'), tool('A', secrets('NONE')))).toBeUndefined()
  expect(denied(principal('*'), tool('B', secrets('ONE')))).toBeUndefined()
  expect(denied(principal('*'), tool('A', secrets('ONE')))).toContain("may have the secret 'ONE'")
})

it("a publisher must be named for a tool that gets users' tokens", () => {
  expect(denied(principal('*'), tool('A', authorization('mail', 'calendar')))).toBe(
    "'Kit.A' is given users' tokens of 'mail': to publish it, the credential must name it or its toolkit, such as 'Kit.*'",
  )
  expect(denied(principal('Kit.A'), tool('A', authorization('mail')))).toBeUndefined()
  expect(denied(ADMIN, tool('A', authorization('mail')))).toBeUndefined()
})

it('a publisher is told of a secret first, and of the first tool first', () => {
  const both = { ...secrets('KEY'), ...authorization('mail') }
  expect(denied(principal('*'), tool('A', both))).toContain("may have the secret 'KEY'")
  expect(denied(principal('*'), tool('B'), tool('C', authorization('mail')), tool('A', both))).toContain("'Kit.C' is")
  expect(denied(principal('Kit.B', '*'), tool('B', both), tool('A', secrets('KEY')))).toContain("'Kit.A' may have")
})

it('a publisher need not be named for a tool without an implementation, which sends no credentials', () => {
  const asking = tool('A', { ...secrets('KEY'), ...authorization('mail') })
  expect(denied(principal('*'), { ...asking, implementation: undefined })).toBeUndefined()
  expect(denied(principal('Other.*'), { ...asking, implementation: undefined })).toContain('does not cover')
})

it("a publisher need not be named for a user's id", () => {
  expect(denied(principal('*'), tool('A', { user_id: true }))).toBeUndefined()
})

const rights = async () => ({ denied: undefined, maySendSecrets: true })

it('a toolkit is covered if all of its tools are', async () => {
  for (const pattern of ['*', 'Kit.*', 'kit.*', 'K*.*']) {
    expect(await findPublisherRights(principal(pattern), 'Kit', { rights })).toMatchObject({ denied: undefined })
  }
  for (const pattern of ['Kit.A', 'Kit.A*', 'Other.*']) {
    expect(await findPublisherRights(principal(pattern), 'Kit', { rights })).toEqual({
      denied: "The credential does not cover 'Kit.*'",
      maySendSecrets: false,
    })
  }
})
