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
    ['with definitions of another kind', { type: 'string', $defs: [] }],
    ['referring by no text', { items: { $ref: 5 }, $defs: { A: true } }],
    ['referring by an anchor', { items: { $ref: '#A' }, $defs: { A: { $anchor: 'A' } } }],
  ])('that is %s stays as it is', (_, schema) => expect(expandSchema(schema)).toBe(schema))

  it.each([
    ['true', true, { a: {} }, { a: true }],
    ['false', false, { a: {} }, { a: false }],
    ['true, with something beside', true, { a: { title: 'T' } }, { a: { title: 'T' } }],
    [
      'an object, with something beside',
      { type: 'string', title: 'S' },
      { a: { title: 'T' } },
      { a: { type: 'string', title: 'T' } },
    ],
  ])('that refers to %s says that in place', (_, A, beside, expected) => {
    const properties = Object.fromEntries(
      Object.entries(beside).map(([name, more]) => [name, { ...$ref('A'), ...more }]),
    )
    expect(expandSchema({ properties, $defs: { A } })).toEqual({ properties: expected })
  })

  it('that is nothing but a reference to true or false stays as it is', () => {
    const schema = { ...$ref('A'), $defs: { A: true } }
    expect(expandSchema(schema)).toBe(schema)
  })

  it('that refers to one definition twice has it twice', () => {
    const schema = { properties: { a: $ref('A'), b: $ref('A') }, $defs: { A: { type: 'string' } } }
    expect(expandSchema(schema)).toEqual({ properties: { a: { type: 'string' }, b: { type: 'string' } } })
  })

  it('that is true or false stays so', () => expect([expandSchema(true), expandSchema(false)]).toEqual([true, false]))
})
