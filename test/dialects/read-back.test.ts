import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { codecs } from '../../src/compose/dialects.ts'
import { createToolRecord } from '../../src/core/tool/digest.ts'
import type { Codec } from '../../src/core/tool/codec.ts'
import type { Json } from '../../src/core/tool/json.ts'
import { sanitizeName } from '../../src/core/tool/sanitize-name.ts'
import type { ToolRecord } from '../../src/core/tool/tool.ts'
import { machineContext } from '../../src/dialects/machine-context/definition.ts'
import { joinCapabilityLines, encodeCapabilityLine } from '../../src/dialects/machine-context/listing.ts'
import { oxp } from '../../src/dialects/oxp/definition.ts'
import { encodeFlat } from '../../src/dialects/oxp/encode.ts'
import { build } from '../../src/generated/build.ts'
import { build as fixtures } from '../fixtures/generated/build.ts'
import { read } from '../importers/openapi/make.ts'
import { RANDOM_TOOLS } from '../extent.ts'
import { hasShared, readShared, unlessShared } from '../shared.ts'
import { anyTool } from './any-tool.ts'
import { faults } from './read-back.ts'

/** What a dialect writes of any tool, its own reader takes, and gives the same tool again up to the losses it named. */

const WRITERS: readonly (Codec & { readonly called: string })[] = [
  ...codecs.map((codec) => ({ ...codec, called: codec.dialect })),
  { ...oxp, encode: encodeFlat, called: 'oxp-flat' },
]

const CATALOGUES = [
  [
    'rfc-definitions.ndjson',
    (text: string): Json[] =>
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
  ],
  ['oxp-definitions.json', (text: string): Json[] => JSON.parse(text).items],
] as const

const require = createRequire(import.meta.url)
const GITHUB = join(dirname(require.resolve('@octokit/openapi/package.json')), 'generated/api.github.com.json')

const sha256 = async (text: string) => createHash('sha256').update(text).digest('hex')

let github: readonly ToolRecord[] = []
let generated: readonly ToolRecord[] = []

beforeAll(async () => {
  github = await githubTools()
  generated = fc.sample(anyTool, { numRuns: RANDOM_TOOLS, seed: 5 })
}, 120_000)

describe.each(WRITERS)('$called', (writer) => {
  // Whatever tools a fork has
  it('can be decoded for the bundled tools', () => {
    expectReadBack(
      build.tools.map(({ record }) => record),
      writer,
    )
  })

  it('can be decoded for the tools of the test fixtures', () => {
    const records = fixtures.tools.map(({ record }) => record)
    expect(records.length).toBeGreaterThan(10)
    expectReadBack(records, writer)
  })

  it.skipIf(!hasShared('catalogues')).each(CATALOGUES)(
    `can be decoded for the tools of %s${unlessShared('catalogues')}`,
    async (file, parse) => {
      const documents = parse(readShared(`catalogues/${file}`))
      expect(documents.length).toBeGreaterThan(20)
      expectReadBack(await recordsOf(documents), writer)
    },
  )

  it('can be decoded for every operation of the GitHub API', () => {
    expect(github.length).toBeGreaterThan(1_000)
    expectReadBack(github, writer)
  }, 120_000)

  it('can be decoded for thousands of generated tools', () => {
    expect(generated.length).toBe(RANDOM_TOOLS)
    expectReadBack(generated, writer)
  }, 120_000)
})

describe('the list of the Machine Context Protocol', () => {
  it.each([
    ['every operation of the GitHub API', () => github],
    ['thousands of tools in some toolkits', () => inToolkits(generated)],
  ] as const)('has documents that its reader accepts, for %s', (_, records) => {
    const documents: Json[] = joinCapabilityLines(records().map(encodeCapabilityLine)).map((text) => JSON.parse(text))
    expect(documents.length).toBeGreaterThan(0)
    const refused = documents.flatMap((document) => {
      const read = machineContext.decode(document, {})
      return read.ok ? [] : read.problems.map(({ path, message }) => `${path}: ${message}`)
    })
    expect(refused.slice(0, 10)).toEqual([])
  })
})

function inToolkits(records: readonly ToolRecord[]): readonly ToolRecord[] {
  return records.map((record, index) => ({ ...record, toolkit: `Kit${index % 50}`, tool: `${record.tool}_${index}` }))
}

function expectReadBack(records: readonly ToolRecord[], writer: Codec) {
  const faulty = records.flatMap((record) => faults(record, writer).map((fault) => `${record.id} ${fault}`))
  expect(faulty.slice(0, 10)).toEqual([])
}

async function recordsOf(documents: readonly Json[]): Promise<readonly ToolRecord[]> {
  const records = documents.map(async (document) => {
    const codec = codecs.find((each) => each.recognizes(document))
    const decoded = codec?.decode(document, {})
    if (!codec || !decoded?.ok) throw new Error(`Cannot decode ${JSON.stringify(decoded).slice(0, 500)}`)
    const { dialect } = codec
    return Promise.all(
      decoded.value.definitions.map((definition) => createToolRecord({ definition, dialect, document }, sha256)),
    )
  })
  return (await Promise.all(records)).flat()
}

async function githubTools(): Promise<readonly ToolRecord[]> {
  const { tools = [] } = await read(JSON.parse(readFileSync(GITHUB, 'utf8')))
  const records = tools.map(({ definition, implementation, document, dialect }) => {
    const versioned = { ...definition, tool: sanitizeName(definition.tool), version: '1.0.0' }
    return createToolRecord({ definition: versioned, implementation, document, dialect }, sha256)
  })
  return Promise.all(records)
}
