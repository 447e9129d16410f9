import { describe, expect, it } from 'vitest'
import { expandSchema } from '../../../src/core/schema/expand.ts'

const $ref = (name: string) => ({ $ref: `#/$defs/${name}` })

describe('a schema', () => {
  it('has its definitions written where they are referred to, with what stands beside the reference', () => {
    const schema = {
      type: 'object',
      properties: { a: $ref('A'), list: { items: { ...$ref('A'), description: 'Another.' } } },
      $defs: { A: { type: 'array', items: $ref('B') }, B: { type: 'string' } },
    }
    expect(expandSchema(schema)).toEqual({
      type: 'object',
      properties: {
        a: { type: 'array', items: { type: 'string' } },
        list: { items: { type: 'array', items: { type: 'string' }, description: 'Another.' } },
      },
    })
  })

  const doubling = Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => [`D${index}`, { anyOf: [$ref(`D${index + 1}`), $ref(`D${index + 1}`)] }]),
  )
  it.each([
    ['recursive', { ...$ref('A'), $defs: { A: { items: $ref('A') } } }],
    ['referring elsewhere', { $ref: '#/properties/x', $defs: {} }],
    ['referring to nothing', { ...$ref('B'), $defs: { A: true } }],
    ['referring to a prototype', { ...$ref('constructor'), $defs: { A: true } }],
    ['growing without end', { ...$ref('D0'), $defs: { ...doubling, D20: true } }],
    ['without definitions', { type: 'string' }],
  ])('that is %s stays as it is', (_, schema) => expect(expandSchema(schema)).toBe(schema))

  it('that is true or false stays so', () => expect([expandSchema(true), expandSchema(false)]).toEqual([true, false]))
})
