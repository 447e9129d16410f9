import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { createPartSigner, type FilePart, readParts, type TextSigner } from '../../../src/api/archive/parts.ts'

const signerWith = (key: string): TextSigner => {
  const sign = async (text: string) => createHmac('sha256', key).update(text).digest('base64url')
  return { sign, verify: async (text, signature) => signature === (await sign(text)) }
}
const OWN = signerWith('of this deployment')

/** Builds the lines of an exported file with four parts of one to three lines. */
async function fileOf(signer: TextSigner): Promise<string[]> {
  const parts = createPartSigner(signer)
  const lines: string[] = []
  for (const [part, count] of [1, 3, 2, 1].entries()) {
    const texts = Array.from({ length: count }, (_, at) => JSON.stringify({ kind: 'name', name: `n${part}.${at}` }))
    const number = lines.length + count + 1
    const hmac = await parts.sign('part', number, texts.map((text) => `${text}\n`).join(''))
    lines.push(...texts, JSON.stringify({ kind: 'part', hmac }))
  }
  const hmac = await parts.sign('end', lines.length + 1, '')
  return [...lines, JSON.stringify({ kind: 'end', lines: lines.length, hmac })]
}

async function read(lines: readonly string[], signer: TextSigner | undefined = OWN, end = '\n'): Promise<FilePart[]> {
  const text = lines.join('\n') + end
  const found: FilePart[] = []
  const body = new Blob([text]).stream()
  for await (const part of readParts(body, signer)) found.push(part)
  return found
}

/** The numbers of the trusted lines, and why the rest is not trusted. */
const believed = (parts: readonly FilePart[]) => ({
  lines: parts.filter(({ unsigned }) => unsigned === undefined).flatMap(({ lines }) => lines.map(({ line }) => line)),
  reasons: parts.flatMap(({ unsigned }) => unsigned ?? []),
})

const FILE = await fileOf(OWN)
/** Numbers of the lines that end a part. */
const ENDS = FILE.flatMap((line, at) => (/"kind":"(part|end)"/.test(line) ? [at + 1] : []))
const upTo = (line: number) => Array.from({ length: line }, (_, at) => at + 1)
/** The last trusted line if this one was changed. */
const before = (line: number) => Math.max(0, ...ENDS.filter((end) => end < line))

const UNSIGNED = [expect.stringContaining('was not signed by this deployment')]
const BROKEN_OFF = ['The file is incomplete: its last signature is missing']

it('a file of signed parts is accepted as exported, also without its last line break', async () => {
  expect(believed(await read(FILE))).toEqual({ lines: upTo(FILE.length), reasons: [] })
  expect(believed(await read(FILE, OWN, ''))).toEqual({ lines: upTo(FILE.length), reasons: [] })
})

it.each(upTo(FILE.length - 1))(
  'a file of signed parts that is cut off after line %i is accepted up to its last signature, and reported',
  async (line) => {
    const isBetween = ENDS.includes(line)
    expect(believed(await read(FILE.slice(0, line)))).toEqual({
      lines: upTo(isBetween ? line : before(line)),
      reasons: isBetween ? [] : BROKEN_OFF,
    })
  },
)

it.each(upTo(FILE.length))(
  'a file of signed parts that is cut off within line %i is refused from that part',
  async (line) => {
    const cut = [...FILE.slice(0, line - 1), FILE[line - 1]?.slice(0, -3) ?? '']
    const { lines, reasons } = believed(await read(cut, OWN, ''))
    expect({ lines, reasons: reasons.length }).toEqual({ lines: upTo(before(line)), reasons: 1 })
  },
)

it.each(upTo(FILE.length))(
  'a file of signed parts is refused from the part whose line %i was changed',
  async (line) => {
    const text = FILE[line - 1] ?? ''
    const otherKind = text.includes('"end"') ? '"kind":"part"' : '"kind":"end"'
    const changes = [
      FILE.with(line - 1, text.replace('"n', '"m').replace('"hmac":"', '"hmac":"-')),
      FILE.with(line - 1, text.replace('"n', '"m').replace(/"hmac":".*"/, '"hmac":7')),
      FILE.toSpliced(line - 1, 0, '{"kind":"name","name":"more"}'),
      // A missing last line is detected by the count of lines
      ...(line < FILE.length ? [FILE.toSpliced(line - 1, 1)] : []),
      ...(ENDS.includes(line) ? [FILE.with(line - 1, text.replace(/"kind":"\w+"/, otherKind))] : []),
    ]
    for (const changed of changes) {
      expect(believed(await read(changed))).toEqual({ lines: upTo(before(line)), reasons: UNSIGNED })
    }
  },
)

it('a file of signed parts is refused if parts are missing, moved, or from another file', async () => {
  const part = (index: number) => FILE.slice(ENDS[index - 1] ?? 0, ENDS[index])
  const first = upTo(ENDS[0] ?? 0)
  for (const parts of [
    [part(0), part(2), part(3), part(4)],
    [part(0), part(2), part(1), part(3), part(4)],
    [part(0), part(0), part(1), part(2), part(3), part(4)],
    [part(0), part(4)],
  ]) {
    expect(believed(await read(parts.flat()))).toEqual({ lines: first, reasons: UNSIGNED })
  }
  const other = await fileOf(signerWith('of another deployment'))
  expect(believed(await read(other))).toEqual({ lines: [], reasons: UNSIGNED })
  expect(believed(await read([...part(0), ...other.slice(ENDS[0])]))).toEqual({ lines: first, reasons: UNSIGNED })
})

it('a file of signed parts is refused with an added line that is too long', async () => {
  const changed = FILE.toSpliced(2, 0, 'x'.repeat(4 * 1024 * 1024 + 1))
  expect(believed(await read(changed))).toEqual({ lines: upTo(ENDS[0] ?? 0), reasons: UNSIGNED })
})

it('a file of signed parts is accepted with any signature if no signer checks it', async () => {
  const other = await fileOf(signerWith('of another deployment'))
  const unsigned = other.filter((line) => !line.includes('hmac'))
  const trusted = async (lines: readonly string[]) => {
    const parts: FilePart[] = []
    const body = new Blob([lines.join('\n')]).stream()
    for await (const part of readParts(body, undefined)) parts.push(part)
    return believed(parts)
  }
  expect(await trusted(other)).toEqual({ lines: upTo(other.length), reasons: [] })
  expect(await trusted(unsigned)).toEqual({ lines: upTo(unsigned.length), reasons: [] })
})

it('a file of signed parts with an endless part is not read to its end', async () => {
  const endless = Array.from({ length: 100_001 }, () => '{}')
  const { lines, reasons } = believed(await read(endless))
  expect({ lines, reasons }).toEqual({ lines: [], reasons: UNSIGNED })
})
