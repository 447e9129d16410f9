import { describe, expect, it } from 'vitest'
import { toSchemaRows, formatType } from '../../../src/http/page/schema-table.tsx'

describe('a schema in a table', () => {
  it('has a row for each parameter and for nested ones', () => {
    const schema = {
      type: 'object',
      required: ['to'],
      properties: {
        to: {
          type: 'array',
          minItems: 1,
          items: { type: 'object', properties: { mail: { type: 'string', format: 'email' } } },
        },
        about: { type: 'object', required: ['kind'], properties: { kind: { enum: ['a', 1, null] } } },
        count: { type: ['integer', 'null'], minimum: 0, default: 3, description: 'How many' },
        any: true,
        none: false,
      },
    }
    const plain = { isRequired: false, description: '', rules: [] }
    expect(toSchemaRows(schema)).toEqual([
      { ...plain, name: 'to', type: 'array of object', isRequired: true, rules: ['minimum items 1'] },
      { ...plain, name: 'to[].mail', type: 'string', rules: ['format email'] },
      { ...plain, name: 'about', type: 'object' },
      { ...plain, name: 'about.kind', type: 'one of "a", 1, null', isRequired: true },
      {
        name: 'count',
        type: 'integer or null',
        isRequired: false,
        description: 'How many',
        rules: ['default 3', 'minimum 0'],
      },
      { ...plain, name: 'any', type: 'any' },
      { ...plain, name: 'none', type: 'nothing' },
    ])
  })

  it('names the type of a nullable value like that of others', () => {
    const schema = { properties: { by: { anyOf: [{ properties: { id: { type: 'string' } } }, { type: 'null' }] } } }
    expect(toSchemaRows(schema).map(({ name, type }) => [name, type])).toEqual([
      ['by', 'object or null'],
      ['by.id', 'string'],
    ])
  })

  it('has a row for each nested value of an alternative, by its title', () => {
    const card = { title: 'Card', properties: { number: { type: 'string' } }, required: ['number'] }
    const schema = {
      properties: {
        payment: { oneOf: [card, { properties: { iban: { type: 'string' } } }, { type: 'null' }] },
        items: { type: 'array', items: { properties: { by: { anyOf: [card] } } } },
      },
    }
    expect(toSchemaRows(schema).map(({ name, type }) => [name, type])).toEqual([
      ['payment', 'object or null'],
      ['payment (Card).number', 'string'],
      ['payment (choice 2).iban', 'string'],
      ['items', 'array of object'],
      ['items[].by', 'object'],
      ['items[].by (Card).number', 'string'],
    ])
  })

  it.each([
    [{ anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'string' }] }, 'string or integer'],
    [{ oneOf: [{ type: 'null' }, { type: 'array', items: { type: 'number' } }] }, 'null or array of number'],
    [{ properties: {} }, 'object'],
    [{}, 'any'],
  ])('describes the type of %j', (schema, type) => expect(formatType(schema)).toBe(type))

  it('has a limited size, however deep or wide it is', () => {
    let deep: object = { type: 'string' }
    for (let level = 0; level < 100; level++) deep = { type: 'object', properties: { a: deep } }
    expect(toSchemaRows(JSON.parse(JSON.stringify(deep))).length).toBeLessThan(10)
    const wide = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`p${index}`, {}]))
    expect(toSchemaRows({ properties: wide })).toHaveLength(200)
  })
})
