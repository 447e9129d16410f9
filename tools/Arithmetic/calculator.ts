import { defineTools } from '#tool'

const NUMBERS = [
  { name: 'a', description: 'First number', type: 'number', required: true },
  { name: 'b', description: 'Second number', type: 'number', required: true },
]
const RESULT = { type: 'object', properties: { result: { type: 'number' } } }

/** The calculator of the Machine Context Protocol, verbatim: its id is `calculator`, and its toolkit is this folder. */
export default defineTools(
  {
    id: 'calculator',
    name: 'Calculator Tool',
    version: '1.0.0',
    description: 'Performs basic arithmetic operations',
    capabilities: [
      {
        name: 'add',
        description: 'Adds two numbers',
        parameters: NUMBERS,
        return: { description: 'The sum of the two numbers', schema: RESULT },
      },
      {
        name: 'subtract',
        description: 'Subtracts the second number from the first',
        parameters: NUMBERS,
        return: { description: 'The result of a - b', schema: RESULT },
      },
    ],
    securityLevel: 1,
    metadata: { category: 'utility', tags: ['math', 'calculation'] },
  },
  {
    add: ({ a, b }) => ({ result: Number(a) + Number(b) }),
    subtract: ({ a, b }) => ({ result: Number(a) - Number(b) }),
  },
  { isDemo: true },
)
