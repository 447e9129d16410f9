import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { createBudget } from '../../src/core/tool/budget.ts'
import { declareTools } from '../../src/cli/typescript.ts'
import type { ToolRecord } from '../../src/core/tool/tool.ts'
import { openapi } from '../../src/formats/openapi.ts'
import { recordOf } from '../formats/records.ts'

/** A tool as a deployment describes it. */
function tool(id: string, output: ToolRecord['output'], more: Partial<ToolRecord> = {}): unknown {
  const record = recordOf({ type: 'object', additionalProperties: false }, { id, description: '', output, ...more })
  return JSON.parse(JSON.stringify(openapi(record, 'n', createBudget()).document))
}

/** The type of one schema, on one line. */
function typeOf(schema: ToolRecord['output']): string {
  const [, type = ''] = /\n {4}output: ([^]*?)\n {2}\}\n\}\n/.exec(declareTools([tool('A.B@1.0.0', schema)])) ?? []
  return type.replaceAll(/\s+/g, ' ')
}

it.each([
  [{ type: 'integer' }, 'number'],
  [{ type: ['string', 'null'] }, 'string | null'],
  [{ type: 'string', nullable: true }, 'string | null'],
  [{ type: 'string', enum: ['a', "it's", 1, null] }, `"a" | "it's" | 1 | null`],
  [{ const: { a: [1, 'x'] } }, '{ "a": [1, "x"] }'],
  [{}, 'unknown'],
  [null, 'null'],
  [{ not: {} }, 'unknown'],
  [{ type: 'array', items: { type: ['string', 'number'] } }, '(string | number)[]'],
  [{ type: 'array' }, 'unknown[]'],
  [
    { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], minItems: 1 },
    '[string, number?, ...unknown[]]',
  ],
  [{ type: 'array', prefixItems: [{ type: 'string' }], items: false, minItems: 1 }, '[string]'],
  [
    { type: 'array', items: [{ type: 'string' }], minItems: 1, additionalItems: { type: 'number' } },
    '[string, ...number[]]',
  ],
  [{ type: 'object' }, '{ [name: string]: unknown }'],
  [{ type: 'object', additionalProperties: { type: 'number' } }, '{ [name: string]: number }'],
  [{ type: 'object', additionalProperties: false }, '{ [name: string]: never }'],
  [
    { type: 'object', properties: { 'a': { type: 'number' }, 'b-c': {} }, required: ['a', 'z'] },
    '{ a: number "b-c"?: unknown z: unknown }',
  ],
  [
    { type: 'object', properties: { a: { type: 'number' } }, additionalProperties: { type: 'string' } },
    '{ a?: number [name: string]: unknown }',
  ],
  [{ anyOf: [{ type: 'string' }, { type: 'object', properties: { a: false } }] }, 'string | { a?: never }'],
  [{ oneOf: [{ const: 1 }, {}] }, 'unknown'],
  [
    {
      type: 'object',
      allOf: [
        { type: 'object', required: ['a'], properties: { a: {} } },
        { oneOf: [{ type: 'string' }, { type: 'null' }] },
      ],
    },
    '({ a: unknown }) & (string | null)',
  ],
  [{ $ref: '#/$defs/nowhere' }, 'unknown'],
  [{ $ref: 'https://example.com/schema' }, 'unknown'],
])('%j is %s', (schema, type) => expect(typeOf(schema)).toBe(type))

const NODE = {
  type: 'object',
  properties: { next: { $ref: '#/$defs/node' }, all: { type: 'array', items: { $ref: '#/$defs/node' } } },
}
const OTHER = { type: 'string' }

it('declares referenced types once for all tools, and gives different types different names', () => {
  const chain = { $ref: '#/$defs/node', $defs: { node: NODE, unused: OTHER } }
  const text = declareTools([
    tool('B.Two@1.0.0', { $ref: '#/$defs/node', $defs: { node: OTHER } }),
    tool('B.Three@1.0.0', chain, { description: 'Third' }),
    tool('A.One@2.1.0', { ...chain, $defs: { node: NODE } }),
    tool('C.Self@1.0.0', { type: 'array', items: { $ref: '#' } }),
    tool('D.Word@1.0.0', { $ref: '#/$defs/string', $defs: { string: { type: 'number', description: 'How many' } } }),
  ])
  expect(text).toBe(`// Written by 'switchboard types'

export interface Tools {
  "A.One": {
    input: { [name: string]: never }
    output: refs.Node
  }
  /** Third */
  "B.Three": {
    input: { [name: string]: never }
    output: refs.Node
  }
  "B.Two": {
    input: { [name: string]: never }
    output: refs.Node_2
  }
  "C.Self": {
    input: { [name: string]: never }
    output: refs.Output[]
  }
  "D.Word": {
    input: { [name: string]: never }
    output: refs.String
  }
}

export declare namespace refs {
  export type Node = {
    next?: refs.Node
    all?: refs.Node[]
  }
  export type Node_2 = string
  export type Output = refs.Output[]
  /** How many */
  export type String = number
}
`)
})

it("cannot be made to write code, directives or hidden characters by a tool's texts", async () => {
  const BREAK =
    '*/ } } export const stolen: number = "x" /* \n@ts-nocheck\n * @ts-ignore \u2028 */ declare const stolen: 1 //\u202e'
  const NAME = '"; stolen: 1 } } export const stolen = 1 //*/ \n\u202e'
  const schema = {
    description: BREAK,
    type: 'object',
    properties: {
      [NAME]: { description: BREAK, enum: [BREAK, NAME, '`${stolen}`', { [NAME]: [BREAK] }] },
      a: { $ref: '#/$defs/~1*~1%20export' },
      b: { $ref: '#/$defs/class' },
      ['__proto__']: { type: 'string' },
    },
    required: ['constructor', 'a'],
    $defs: { '/*/ export': { type: 'string', description: BREAK }, 'class': { const: BREAK } },
  }
  const text = declareTools([tool('A.B@1.0.0', schema, { description: `@ts-ignore ${BREAK}`, input: schema })])
  expect(text).not.toMatch(/[\u2028\u202e]|^ *\/?\*.*@ts-|^export const/m)
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-types-'))
  try {
    const use = `import type { Tools } from './tools.ts'\nconst one: keyof Tools = 'A.B'\nconst a: Tools['A.B']['output']['a'] = one\nexport const wrong: number = a`
    await Promise.all([writeFile(join(folder, 'tools.ts'), text), writeFile(join(folder, 'use.ts'), use)])
    const tsc = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url))
    const options =
      '--strict --noEmit --erasableSyntaxOnly --module preserve --allowImportingTsExtensions --ignoreConfig'
    const said = await new Promise((done) =>
      execFile(process.execPath, [tsc, ...options.split(' '), 'use.ts'], { cwd: folder }, (_, stdout) => done(stdout)),
    )
    // The one fault is that of the program
    expect(said).toBe("use.ts(4,14): error TS2322: Type 'string' is not assignable to type 'number'.\n")
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
