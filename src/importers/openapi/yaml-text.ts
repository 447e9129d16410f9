import { Composer, type Document, isCollection, Lexer, LineCounter, type Node, Parser, visit } from 'yaml'
import type { ImportRequest } from '../../core/publish/import.ts'
import { afterStretches, type Budget } from '../../core/tool/budget.ts'
import { MAX_DEPTH } from '../../core/tool/json.ts'

export type TextBounds = Pick<ImportRequest, 'meter' | 'giveWay'>

/** Words and signs, and values with all that aliases repeat: each may take two hundred bytes. */
const MAX_PARTS = 100_000
/** Units of reading a word. */
const WORD = 3

class Fault extends Error {
  readonly offset: number | undefined
  constructor(message: string, offset?: number) {
    super(message)
    this.offset = offset
  }
}

const TOO_MANY = new Fault(`Must have at most ${MAX_PARTS} words or values as YAML: send it as JSON`)

/** Reads word by word, up to the first fault: texts of faults alone would take minutes. Others are let in meanwhile. */
export async function readYaml(
  text: string,
  { meter, giveWay }: TextBounds,
): Promise<{ readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: string }> {
  const lines = new LineCounter()
  const parser = new Parser(lines.addNewLine)
  lines.addNewLine(0)
  // Finding repeated keys takes time quadratic in their number; as in JSON, the last counts
  const composer = new Composer({ uniqueKeys: false, prettyErrors: false, merge: true, logLevel: 'silent' })
  let first: Fault | undefined
  type At = number | readonly [number, number] | { readonly offset: number }
  Object.assign(composer, {
    onError(at: At, _: string, message: string, warns?: boolean) {
      if (warns === true) return
      // A thrown fault comes back for each node around it
      first ??= new Fault(message, typeof at === 'number' ? at : 'offset' in at ? at.offset : at[0])
      throw first
    },
  })
  const documents: Document.Parsed[] = []
  function add(tokens: ReturnType<Parser['next']>): void {
    for (const token of tokens) {
      if (token.type === 'error') throw new Fault(token.message, token.offset)
      documents.push(...composer.next(token))
      if (documents.length > 1) throw new Fault('Must be one YAML document, got several')
    }
    // A level takes two entries: the collection and its item
    if (parser.stack.length > 2 * MAX_DEPTH) throw new Fault(`Must not nest deeper than ${MAX_DEPTH} levels`)
  }
  try {
    let words = 0
    const pause = afterStretches(meter, giveWay)
    for (const lexeme of new Lexer().lex(text)) {
      add(parser.next(lexeme))
      meter.spend(WORD)
      if (++words > MAX_PARTS) throw TOO_MANY
      const others = pause()
      if (others) await others
    }
    add(parser.end())
    documents.push(...composer.end())
    const [document] = documents
    if (!document || documents.length > 1) throw new Fault('Must be one YAML document')
    await giveWay()
    resolveAliases(document, meter)
    await giveWay()
    return { ok: true, value: document.toJS({ maxAliasCount: 0 }) }
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '').slice(0, 200) : 'unreadable'
    if (!(error instanceof Fault)) return { ok: false, problem: `Is neither JSON nor YAML: ${reason}` }
    if (error.offset === undefined) return { ok: false, problem: reason }
    const { line, col } = lines.linePos(error.offset)
    return { ok: false, problem: `Is neither JSON nor YAML: ${reason} at line ${line}, column ${col}` }
  }
}

/** Puts what aliases repeat in their places, and counts it at each: a few of them can stand for gigabytes. */
function resolveAliases(document: Document.Parsed, meter: Budget): void {
  const anchors = new Map<string, Node>()
  let values = 0
  visit(document, {
    Alias(_, { source, range }) {
      const found = anchors.get(source)
      if (!found) throw new Fault(`Nothing before it has the anchor '${source}'`, range?.[0])
      return found
    },
    Value(place, node, { length }) {
      meter.spend(1)
      if (++values > MAX_PARTS) throw TOO_MANY
      if (length > 2 * MAX_DEPTH) throw new Fault(`Must not nest deeper than ${MAX_DEPTH} levels`)
      // The library would write it as a text, with a look at all anchors
      if (place === 'key' && isCollection(node)) throw new Fault('Must not have lists or objects as keys')
      if (node.anchor !== undefined) anchors.set(node.anchor, node)
    },
  })
}
