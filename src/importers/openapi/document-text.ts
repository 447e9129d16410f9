import { isObject, parseJson } from '../../core/tool/json.ts'
import { foreignJsonProblem, MAX_DEPTH } from '../shared/foreign-json.ts'
import type { Node, Possible } from './description.ts'

/** The largest description as JSON, and as YAML, whose reader needs some thirty times the memory; in bytes. */
export const MAX_JSON = 16 * 1024 * 1024
export const MAX_YAML = 4 * 1024 * 1024
/** Words and signs of a YAML text. Real descriptions of the largest size have some 800,000. */
const MAX_LEXEMES = 1_000_000
/** How often `*name` may repeat what an `&name` marks, as the product over its levels. */
const MAX_ALIASES = 1_000

/**
 * Reads a description's text, JSON or YAML 1.2, as JSON data. Refuses, with both sizes, a text that is too large for an
 * isolate's memory; the key `__proto__`, numbers that JSON cannot say, and what nests deeper than 136 levels. The
 * YAML reader is given its text word by word, so that it stops at the first fault: it takes minutes over texts made of
 * nothing but faults.
 */
export async function readText(text: string): Promise<Possible<Node>> {
  const bytes = new TextEncoder().encode(text).byteLength
  if (bytes > MAX_JSON) return tooLarge(bytes, MAX_JSON, 'a description')
  const looksLikeJson = /^\s*\{/.test(text)
  const value = looksLikeJson ? parseJson(text) : undefined
  if (value !== undefined) return checkedDocument(value)
  if (bytes > MAX_YAML) {
    const what = looksLikeJson ? 'it is not JSON, and as YAML a description' : 'YAML; as JSON it may have 16 MiB: it'
    return tooLarge(bytes, MAX_YAML, what)
  }
  return readYaml(text)
}

/** Refuses what is no object, and what JSON of ours may not hold. */
export function checkedDocument(value: unknown): Possible<Node> {
  if (!isObject(value)) return { ok: false, problem: 'Must be an OpenAPI description, which is an object' }
  const problem = foreignJsonProblem(value)
  return problem === undefined ? { ok: true, value } : { ok: false, problem }
}

class Fault extends Error {
  /** Where in the text; undefined where it is the whole. */
  readonly offset: number | undefined
  constructor(message: string, offset?: number) {
    super(message)
    this.offset = offset
  }
}

async function readYaml(text: string): Promise<Possible<Node>> {
  const { Composer, Lexer, LineCounter, Parser } = await import('yaml')
  const lines = new LineCounter()
  const parser = new Parser(lines.addNewLine)
  lines.addNewLine(0)
  // Keys that are given twice cost the square of their number to find; as in JSON, the last counts
  const composer = new Composer({ uniqueKeys: false, prettyErrors: false, merge: true, logLevel: 'silent' })
  let first: Fault | undefined
  type At = number | readonly [number, number] | { readonly offset: number }
  // It would go on after a fault, and gather them all: a text of commas alone takes it half a minute
  Object.assign(composer, {
    onError(at: At, _: string, message: string, warns?: boolean) {
      if (warns === true) return
      // What is thrown comes back as the fault of each node around it
      first ??= new Fault(message, typeof at === 'number' ? at : 'offset' in at ? at.offset : at[0])
      throw first
    },
  })
  function* tokens() {
    let lexemes = 0
    for (const lexeme of new Lexer().lex(text)) {
      if (++lexemes > MAX_LEXEMES) {
        throw new Fault(`Must have at most ${MAX_LEXEMES} words and signs as YAML: send it as JSON`)
      }
      yield* parser.next(lexeme)
      // A level takes two entries: the collection and its item
      if (parser.stack.length > 2 * MAX_DEPTH) throw new Fault(`Must not nest deeper than ${MAX_DEPTH} levels`)
    }
    yield* parser.end()
  }
  try {
    const documents = []
    for (const token of tokens()) {
      if (token.type === 'error') throw new Fault(token.message, token.offset)
      documents.push(...composer.next(token))
      if (documents.length > 1) throw new Fault('Must be one YAML document, got several')
    }
    documents.push(...composer.end())
    const [document] = documents
    if (!document || documents.length > 1) throw new Fault('Must be one YAML document')
    const [error] = document.errors
    if (error) throw new Fault(error.message, error.pos[0])
    return checkedDocument(document.toJS({ maxAliasCount: MAX_ALIASES }))
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '').slice(0, 200) : 'unreadable'
    if (!(error instanceof Fault)) return { ok: false, problem: `Is neither JSON nor YAML: ${reason}` }
    if (error.offset === undefined) return { ok: false, problem: reason }
    const { line, col } = lines.linePos(error.offset)
    return { ok: false, problem: `Is neither JSON nor YAML: ${reason} at line ${line}, column ${col}` }
  }
}

function tooLarge(bytes: number, limit: number, what: string): Possible<Node> {
  return { ok: false, problem: `Has ${bytes} bytes: ${what} may have at most ${limit}` }
}
