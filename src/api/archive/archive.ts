import type { Principal } from '../../core/access/principal.ts'
import { type Failing, fail } from '../../core/failure/failure.ts'
import { FORMAT } from '../../core/publish/archive/format.ts'
import type { ArchiveCursor, RegistryArchive } from '../../core/publish/archive/registry-archive.ts'
import { createRestore, type FileLine, readHeader, type RestoreDeps } from '../../core/publish/archive/restore.ts'
import { bodyLines } from '../../http/request/body-lines.ts'
import { MAX_DEPTH, parseJson } from '../../http/request/json-text.ts'
import { noteAct } from '../../http/route/acts.ts'
import type { RouteContext } from '../../http/route/gate.ts'
import type { Note, RouteDeps } from '../../http/route/route.ts'
import { blobLines, encodeProgress, encodeRestored, encodeTold } from './wire.ts'
import { isJsonLines, JSON_LINES, lineOf } from './wire.ts'

export interface ArchiveDeps extends RouteDeps, Omit<RestoreDeps, 'archive'> {
  readonly archive: RegistryArchive
  /** The bytes that are kept under a hash. */
  readonly readBlob: (hash: string) => Promise<ArrayBuffer | undefined>
  readonly base64Of: (bytes: Uint8Array) => string
  /** Lets other requests have the thread. */
  readonly giveWay: () => Promise<void>
  readonly now: () => Date
  /** Of this Switchboard. */
  readonly version: string
}

/** The longest line, in bytes: a version has 2 MB at most where it is stored. */
const LINE_LIMIT = 4 * 1024 * 1024
/** A line holds a record, which holds a document. */
const LINE_DEPTH = MAX_DEPTH + 4
/** Lines between two that tell how far a restore has come, and the most of those that tell of one line. */
const PROGRESS = 500
const MAX_TOLD = 1_000

/** Writes the registry out, and takes it in again; both stream. */
export function createArchive(deps: ArchiveDeps) {
  const { archive, readBlob, base64Of, giveWay, now, version } = deps

  async function exported(toolkit: string | undefined, note: Note): Promise<Response> {
    note(toolkit === undefined ? {} : { toolkit })
    const about = { switchboard: version, at: now().toISOString(), ...(toolkit === undefined ? {} : { toolkit }) }
    const header = lineOf({ kind: 'archive', format: FORMAT, ...about })
    const lines = linesOf(header, toolkit)
    const encoder = new TextEncoder()
    const body = new ReadableStream<Uint8Array>({
      // Whoever reads slowly keeps no more than one part waiting
      async pull(controller) {
        const { done, value } = await lines.next()
        if (done) controller.close()
        else controller.enqueue(encoder.encode(value))
      },
      async cancel() {
        await lines.return(undefined)
      },
    })
    const name = `switchboard${toolkit === undefined ? '' : `-${toolkit}`}-${about.at.slice(0, 10)}.jsonl`
    const headers = { 'content-type': JSON_LINES, 'content-disposition': `attachment; filename="${name}"` }
    return new Response(body, { headers })
  }

  async function* linesOf(header: string, toolkit: string | undefined): AsyncGenerator<string, undefined> {
    yield header
    let lines = 1
    let cursor: ArchiveCursor | undefined
    do {
      const part = await archive.read(cursor, toolkit)
      if (part.text !== '') yield part.text
      lines += part.lines
      const bytes = part.blob === undefined ? undefined : await readBlob(part.blob)
      for (const line of bytes ? blobLines(part.blob ?? '', new Uint8Array(bytes), base64Of) : []) {
        yield line
        lines += 1
      }
      cursor = part.next
    } while (cursor)
    yield lineOf({ kind: 'end', lines })
    return undefined
  }

  async function imported(c: RouteContext, principal: Principal): Promise<Response | Failing> {
    const type = c.req.raw.headers.get('content-type')
    if (!isJsonLines(type)) return fail({ type: 'media-type-unsupported', got: type, wanted: JSON_LINES })
    const lines = fileLines(c.req.raw.body)
    const { value: first } = await lines.next()
    const header = readHeader(first || undefined)
    if (!header.ok) {
      await lines.return(undefined)
      return fail({ type: 'definition-invalid', problems: header.problems })
    }
    const body = new ReadableStream<Uint8Array>({
      // What is told is little: it waits for nobody, so that a client may send all of the file before it reads
      start: (controller) => void takeIn(c, principal, lines, controller),
      async cancel() {
        await lines.return(undefined)
      },
    })
    return new Response(body, { headers: { 'content-type': JSON_LINES } })
  }

  async function takeIn(
    c: RouteContext,
    principal: Principal,
    lines: AsyncGenerator<FileLine, undefined>,
    out: ReadableStreamDefaultController<Uint8Array>,
  ): Promise<void> {
    const encoder = new TextEncoder()
    const write = (text: string) => out.enqueue(encoder.encode(text))
    let told = 0
    const restore = createRestore(principal, deps, (each) => {
      told += 1
      if (told <= MAX_TOLD) write(encodeTold(each))
    })
    const about = { ...restore.counts(), complete: false }
    let outcome: 'success' | 'internal' = 'internal'
    try {
      for await (const line of lines) {
        await restore.take(line)
        if (line.line % PROGRESS !== 0) continue
        write(encodeProgress(line.line, restore.counts()))
        await giveWay()
      }
      const restored = await restore.finish()
      Object.assign(about, restored.counts, { complete: restored.isWhole })
      write(encodeRestored(restored))
      out.close()
      outcome = 'success'
    } catch (error) {
      // Whoever sent it went away, or storage did: what came until then is stored, and to send all of it again goes on from there
      Object.assign(about, restore.counts())
      console.error('A restore ended early', error)
      out.error(error)
    }
    noteAct(c, deps.writeAct, now().getTime(), { act: 'registry.imported', principal, outcome, status: 200, about })
  }

  return { exported, imported }
}

/** The lines of a body, counted and parsed. */
async function* fileLines(body: ReadableStream<Uint8Array> | null): AsyncGenerator<FileLine, undefined> {
  let line = 0
  for await (const each of bodyLines(body, LINE_LIMIT)) {
    line += 1
    if ('problem' in each) yield { line, problem: each.problem }
    else {
      const parsed = await parseJson(each.text, LINE_DEPTH)
      if (parsed.ok) yield { line, value: parsed.value }
      else yield { line, problem: 'message' in parsed.failure ? parsed.failure.message : 'Is no JSON' }
    }
  }
  return undefined
}
