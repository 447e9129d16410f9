/** A document that a test is about to break. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Draft = Record<string, any>

/** The example of the specification, word for word. */
export const CALCULATOR = {
  id: 'calculator',
  name: 'Calculator Tool',
  version: '1.0.0',
  description: 'Performs basic arithmetic operations',
  capabilities: [
    {
      name: 'add',
      description: 'Adds two numbers',
      parameters: [
        { name: 'a', description: 'First number', type: 'number', required: true },
        { name: 'b', description: 'Second number', type: 'number', required: true },
      ],
      return: {
        description: 'The sum of the two numbers',
        schema: { type: 'object', properties: { result: { type: 'number' } } },
      },
    },
    {
      name: 'subtract',
      description: 'Subtracts the second number from the first',
      parameters: [
        { name: 'a', description: 'First number', type: 'number', required: true },
        { name: 'b', description: 'Second number', type: 'number', required: true },
      ],
      return: {
        description: 'The result of a - b',
        schema: { type: 'object', properties: { result: { type: 'number' } } },
      },
    },
  ],
  securityLevel: 1,
  metadata: { category: 'utility', tags: ['math', 'calculation'] },
}
