import type { Budget } from '../../core/tool/budget.ts'
import { isObject } from '../../core/tool/json.ts'
import { FOREIGN, MANY_PARTS, parseJson } from '../../core/tool/json-text.ts'
import { foreignJsonProblem, MAX_DEPTH } from '../shared/foreign-json.ts'
import type { Node, Possible } from './description.ts'

/** In bytes; the reader of YAML needs some thirty times the memory. */
export const MAX_JSON = 16 * 1024 * 1024
export const MAX_YAML = 4 * 1024 * 1024
/** In a YAML text; the largest real descriptions have some 800,000. */
const MAX_LEXEMES = 1_000_000
const MAX_ALIASES = 1_000

/** YAML is read word by word, up to the first fault: texts of faults alone would take minutes. */
export async function readText(text: string, meter: Budget): Promise<Possible<Node>> {
  const bytes = new TextEncoder().encode(text).byteLength
  if (bytes > MAX_JSON) return tooLarge(bytes, MAX_JSON, 'a description')
  const looksLikeJson = /^\s*\{/.test(text)
  const read = looksLikeJson
    ? parseJson(text, meter, { ...FOREIGN, what: 'the description', parts: MANY_PARTS })
    : undefined
  if (read?.ok) return checkedDocument(read.value)
  if (read?.isJson) return { ok: false, problem: read.message }
  if (bytes > MAX_YAML) {
    const what = looksLikeJson ? 'it is not JSON, and as YAML a description' : 'YAML; as JSON it may have 16 MiB: it'
    return tooLarge(bytes, MAX_YAML, what)
  }
  return readYaml(text)
}

export function checkedDocument(value: unknown): Possible<Node> {
  if (!isObject(value)) return { ok: false, problem: 'Must be an OpenAPI description, which is an object' }
  const problem = foreignJsonProblem(value)
  return problem === undefined ? { ok: true, value } : { ok: false, problem }
}

class Fault extends Error {
  readonly offset: number | undefined
  constructor(message: string, offset?: number) {
    super(message)
    this.offset = offset
  }
}

async function readYaml(text: string): Promise<Possible<Node>> {
  const { Composer, Lexer, LineCounter, Parser } = await import('./yaml.ts')
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
