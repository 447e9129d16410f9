import { expect, it } from 'vitest'
import { canonicalJson, createToolRecord } from '../../../src/core/tool/digest.ts'
import { definitionOf, sha256 } from './fakes.ts'

const parts = { definition: definitionOf(), dialect: 'plain', document: { a: 1 } }

it('a record is its definition with an id, a security level, its source and a digest', async () => {
  const visible = { ...definitionOf(), id: 'Kit.Do@1.0.0', securityLevel: 0 }
  expect(await createToolRecord(parts, sha256)).toEqual({
    ...visible,
    source: { dialect: 'plain', document: { a: 1 } },
    digest: await sha256(canonicalJson(visible)),
  })
})

it('a record has an implementation if one is given', async () => {
  expect(await createToolRecord(parts, sha256)).not.toHaveProperty('implementation')
  expect(await createToolRecord({ ...parts, implementation: { kind: 'echo' } }, sha256)).toMatchObject({
    implementation: { kind: 'echo' },
  })
})

it('a record has the given security level, or the one that its requirements imply', async () => {
  const requirements = { authorization: [], secrets: [{ id: 'KEY' }], user_id: false }
  const levelOf = async (more: object) =>
    (await createToolRecord({ ...parts, definition: definitionOf(more) }, sha256)).securityLevel
  expect(await levelOf({ requirements })).toBe(4)
  expect(await levelOf({ requirements, securityLevel: 0 })).toBe(0)
  expect(await levelOf({ securityLevel: 7 })).toBe(7)
})

it('a record has a digest of what is visible and what runs, but not of its source', async () => {
  const digestOf = async (more: object) => (await createToolRecord({ ...parts, ...more }, sha256)).digest
  const digest = await digestOf({})
  expect(await digestOf({ document: 'another', dialect: 'other' })).toBe(digest)
  const others = await Promise.all([
    digestOf({ implementation: { kind: 'echo' } }),
    digestOf({ definition: definitionOf({ description: 'Another' }) }),
    digestOf({ definition: definitionOf({ version: '1.0.1' }) }),
    digestOf({ definition: definitionOf({ tags: ['t'] }) }),
    digestOf({ definition: definitionOf({ securityLevel: 1 }) }),
  ])
  expect(new Set([digest, ...others]).size).toBe(6)
})
