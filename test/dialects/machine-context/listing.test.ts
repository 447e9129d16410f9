import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/core/tool/json.ts'
import type { ToolRecord } from '../../../src/core/tool/tool.ts'
import { joinCapabilityLines, encodeCapabilityLine } from '../../../src/dialects/machine-context/listing.ts'
import { recordOf } from './record.ts'

const joined = (...records: ToolRecord[]) =>
  joinCapabilityLines(records.map(encodeCapabilityLine)).map((text) => JSON.parse(text))
const capability = (name: string) => ({ name, description: 'What it does' })
const whole = { id: 'Kit', name: 'Kit', version: '1.0.0' }

describe('tools of other dialects', () => {
  it('become one document per toolkit, at its newest version, which notes tools at other versions', () => {
    const [a, b] = [recordOf({ tool: 'A' }), recordOf({ tool: 'B' })]
    expect(joined(a)).toEqual([
      { ...whole, description: 'What it does', capabilities: [capability('A')], securityLevel: 0 },
    ])
    expect(joined(a, recordOf({ toolkit: 'Other' }), b, recordOf({ version: '2.0.0' }))).toEqual([
      {
        ...whole,
        version: '2.0.0',
        description: 'The tools of this toolkit',
        capabilities: [capability('A'), capability('B'), capability('Tool')],
        securityLevel: 0,
        metadata: {
          capabilities: {
            A: { version: '1.0.0', securityLevel: 0 },
            B: { version: '1.0.0', securityLevel: 0 },
            Tool: { version: '2.0.0', securityLevel: 0 },
          },
        },
      },
      {
        ...whole,
        id: 'Other',
        name: 'Other',
        description: 'What it does',
        capabilities: [capability('Tool')],
        securityLevel: 0,
      },
    ])
  })

  it('have the metadata they share, and the highest security level', () => {
    const metadata = { x: 1 }
    const alike = ['A', 'B'].map((tool) => recordOf({ tool, metadata, securityLevel: 4 }))
    expect(joined(...alike)).toMatchObject([{ securityLevel: 4, metadata }])
    const levels = [recordOf({ tool: 'A', securityLevel: 2 }), recordOf({ tool: 'B', securityLevel: 7, tags: ['t'] })]
    expect(joined(...levels)).toMatchObject([
      {
        securityLevel: 7,
        metadata: { capabilities: { A: { securityLevel: 2 }, B: { securityLevel: 7, metadata: { tags: ['t'] } } } },
      },
    ])
    expect(joined(...levels)[0].metadata.capabilities.A).toEqual({ securityLevel: 2 })
    const other = [recordOf({ tool: 'A', metadata }), recordOf({ tool: 'B' })]
    expect(joined(...other)[0].metadata).toEqual({
      capabilities: { A: { securityLevel: 0, metadata }, B: { securityLevel: 0 } },
    })
  })
})

describe('a published document', () => {
  it('is listed as it was published, and fields that it leaves out stay out', () => {
    const document = { ...whole, description: 'Adds', capabilities: [capability('Tool')] }
    expect(joined(recordOf({ securityLevel: 0, source: { dialect: 'machine-context', document } }))).toEqual([document])
  })

  const document: JsonObject = {
    id: 'x',
    capabilities: [capability('A'), 7, capability('B'), capability('C')],
    after: [1],
    last: '"',
  }
  const of = (tool: string, given: JsonObject = document) =>
    recordOf({ tool, source: { dialect: 'machine-context', document: given } })

  it('is listed with its visible capabilities, in its order, at any position in the list', () => {
    expect(joinCapabilityLines(['C', 'A'].map((tool) => encodeCapabilityLine(of(tool))))).toEqual([
      JSON.stringify({ ...document, capabilities: [capability('A'), capability('C')] }),
    ])
    for (const given of [
      { capabilities: [capability('A')] },
      { capabilities: [capability('A')], z: 1 },
      { a: 1, capabilities: [capability('A')] },
    ]) {
      expect(joinCapabilityLines([encodeCapabilityLine(of('A', given))])).toEqual([JSON.stringify(given)])
    }
  })

  it('has the highest level of its listed capabilities, in any order', () => {
    const levels = [of('A'), { ...of('B'), securityLevel: 7 }, { ...of('C'), securityLevel: 2 }]
    for (const records of [levels, levels.toReversed()])
      expect(joined(...records)).toMatchObject([{ securityLevel: 7 }])
  })

  it('is one entry at its newest version, whatever versions its capabilities have', () => {
    const at = (version: string, ...names: string[]) => ({ id: 'x', version, capabilities: names.map(capability) })
    const share = (tool: string, version: string, given: JsonObject) =>
      recordOf({ tool, version, source: { dialect: 'machine-context', document: given } })
    expect(
      joined(
        share('A', '1.0.0', at('1.0.0', 'A', 'B')),
        share('C', '1.10.0', at('1.10.0', 'C', 'D')),
        share('D', '1.9.0', at('1.9.0', 'D')),
        share('E', '2.0.0-rc', at('2.0.0-rc', 'E')),
      ),
    ).toEqual([at('1.10.0', 'C')])
  })

  it('is the only entry with its id: a toolkit of that name is listed with another', () => {
    const document: JsonObject = { id: 'Kit', capabilities: [capability('A')] }
    const share = recordOf({ toolkit: 'Other', tool: 'A', source: { dialect: 'machine-context', document } })
    expect(joined(recordOf(), share).map(({ id, name }) => [id, name])).toEqual([
      ['toolkit:Kit', 'Kit'],
      ['Kit', undefined],
    ])
  })

  it('has the capabilities of tools whose names differ', () => {
    const document: JsonObject = { id: 'x', capabilities: [capability('do it')] }
    const made = recordOf({
      tool: 'do_it',
      _meta: { 'dev.switchboard/tool': { capability: 'do it' } },
      source: { dialect: 'machine-context', document },
    })
    expect(joined(made)).toEqual([document])
  })

  it('keeps its order beyond nine capabilities', () => {
    const many = { capabilities: Array.from({ length: 11 }, (_, index) => capability(`T${index}`)) }
    const shuffled = ['T10', 'T2', 'T9'].map((tool) => encodeCapabilityLine(of(tool, many)))
    expect(joinCapabilityLines(shuffled)).toEqual([
      JSON.stringify({ capabilities: ['T2', 'T9', 'T10'].map(capability) }),
    ])
  })

  it('is a separate entry next to others', () => {
    expect(
      joinCapabilityLines([
        encodeCapabilityLine(of('A')),
        encodeCapabilityLine(of('A', { ...document, id: 'y' })),
        encodeCapabilityLine(recordOf()),
      ]),
    ).toHaveLength(3)
    expect(joined(of('A', { id: 'x' }))).toMatchObject([{ id: 'Kit', name: 'Kit' }])
  })
})
