import { isJsonObject, MAX_DEPTH } from '../../core/tool/json.ts'
import type { FileLine } from '../../core/publish/archive/restore.ts'
import { bodyLines } from '../../http/request/body-lines.ts'
import { MAX_SOURCE_NODES } from '../../core/tool/json-text.ts'
import { readJsonText } from '../../http/request/body.ts'

export interface TextSigner {
  sign(text: string): Promise<string>
  verify(text: string, signature: string): Promise<boolean>
}

export interface FilePart {
  readonly lines: readonly FileLine[]
  readonly unsigned?: string
}

type Closing = 'part' | 'end'

/** In bytes. A stored version has at most 2 MB. */
const MAX_LINE_BYTES = 4 * 1024 * 1024
const LINE_LIMITS = { maxParts: MAX_SOURCE_NODES, depth: MAX_DEPTH + 4 }
/** Exported parts have about 1 million characters, and more only if their last line is long. */
const MAX_CHARACTERS = 4_000_000
const MAX_LINES = 100_000

/** Each signature covers the previous one and its line number, so that parts cannot be removed or reordered. */
export function createPartSigner(signer: TextSigner) {
  let previousSignature = ''
  const toSignedText = (kind: Closing, line: number, text: string) => `${previousSignature}\n${kind} ${line}\n${text}`
  return {
    async sign(kind: Closing, line: number, text: string): Promise<string> {
      return (previousSignature = await signer.sign(toSignedText(kind, line, text)))
    },
    async verify(kind: Closing, line: number, text: string, hmac: string): Promise<boolean> {
      const isValid = await signer.verify(toSignedText(kind, line, text), hmac)
      previousSignature = hmac
      return isValid
    },
  }
}

/** Ends at the first part that `signer` did not sign. Without a signer, all parts are trusted. */
export async function* readParts(
  body: ReadableStream<Uint8Array> | null,
  signer: TextSigner | undefined,
): AsyncGenerator<FilePart, undefined> {
  const partSigner = signer && createPartSigner(signer)
  let lines: FileLine[] = []
  let texts: string[] = []
  let size = 0
  let lineNumber = 0
  for await (const bodyLine of bodyLines(body, MAX_LINE_BYTES)) {
    lineNumber += 1
    const fileLine = await readLine(bodyLine, lineNumber)
    lines.push(fileLine)
    const closing = parseClosing(fileLine)
    if (!closing && 'text' in bodyLine) {
      texts.push(bodyLine.text, '\n')
      size += bodyLine.text.length
    }
    if (!closing && size <= MAX_CHARACTERS && lines.length < MAX_LINES) continue
    const { kind = 'part', hmac = '' } = closing ?? {}
    if (partSigner && !(await partSigner.verify(kind, lineNumber, texts.join(''), hmac))) {
      yield { lines, unsigned: UNSIGNED }
      return undefined
    }
    yield { lines }
    lines = []
    texts = []
    size = 0
  }
  if (lines.length > 0) yield partSigner ? { lines, unsigned: CUT_OFF } : { lines }
  return undefined
}

const UNSIGNED =
  'This backup was not signed by this deployment. If you trust where it comes from, restore it with ?trust=1'
const CUT_OFF = 'The file is incomplete: its last signature is missing'

async function readLine(bodyLine: { readonly text: string } | { readonly problem: string }, line: number) {
  if ('problem' in bodyLine) return { line, problem: bodyLine.problem }
  const parsedLine = await readJsonText(bodyLine.text, LINE_LIMITS)
  if (parsedLine.ok) return { line, value: parsedLine.value }
  return { line, problem: 'message' in parsedLine.failure ? parsedLine.failure.message : 'Is no JSON' }
}

function parseClosing(line: FileLine): { readonly kind: Closing; readonly hmac: string } | undefined {
  if (!('value' in line) || !isJsonObject(line.value)) return undefined
  const { kind, hmac } = line.value
  return kind === 'part' || kind === 'end' ? { kind, hmac: typeof hmac === 'string' ? hmac : '' } : undefined
}
