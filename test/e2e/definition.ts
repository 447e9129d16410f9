/** Builds a definition in the flat form of OXP. Fields passed with the id override the defaults. */
export function definition(id: string, given: Readonly<Record<string, unknown>> = {}) {
  const [name = '', version = '1.0.0'] = id.split('@')
  return {
    id,
    name: name.replace('.', '_').slice(0, 64),
    description: `What ${name} does`,
    version,
    input_schema: { type: 'object', properties: { text: { type: 'string', description: 'Some text' } } },
    output_schema: {},
    ...given,
  }
}

/** Builds definitions of many toolkits, sizes and shapes, for use without a third-party catalog. */
export function manyDefinitions(count: number) {
  return Array.from({ length: count }, (_, n) =>
    definition(`Kit${n % 17}.Tool${n}@${n % 3}.${n % 7}.${n % 5}`, {
      'description': `Tool ${n} 🛠\n${'It does a lot. '.repeat((n * n) % 300)}`,
      'input_schema': {
        type: 'object',
        properties: Object.fromEntries(
          Array.from({ length: n % 13 }, (__, p) => [
            `p${p}`,
            { type: ['string', 'integer', 'boolean'][p % 3], description: `Parameter ${p}` },
          ]),
        ),
        required: n % 2 === 0 || n % 13 === 0 ? [] : ['p0'],
      },
      'output_schema': n % 4 === 0 ? null : { type: 'object', description: `The output of ${n}` },
      ...(n % 5 === 0 ? { requirements: { secrets: [{ id: `SECRET_${n}` }] } } : {}),
    }),
  )
}
