import type { Principal } from '../../core/access/principal.ts'
import { type FailureResult, fail } from '../../core/failure/failure.ts'
import type { ArchiveCursor, RegistryArchive } from '../../core/publish/archive/archive-rows.ts'
import { FORMAT } from '../../core/publish/archive/line.ts'
import { createRestore, parseArchiveHeader, type RestoreDeps } from '../../core/publish/archive/restore.ts'
import { createYielder, type YieldControl } from '../../core/tool/budget.ts'
import { createTextStreamResponse } from '../../http/response/unread-text.ts'
import { drainBody } from '../../http/request/body.ts'
import { writeAudit } from '../../http/route/audit.ts'
import type { RouteContext } from '../../http/route/authorizer.ts'
import type { AddAuditDetails, RouteDeps } from '../../http/route/router.ts'
import { createPartSigner, type FilePart, readParts, type TextSigner } from './parts.ts'
import { blobLines, isJsonLines, JSON_LINES, toJsonLine } from './wire.ts'

export interface ArchiveDeps extends RouteDeps, Omit<RestoreDeps, 'archive'> {
  readonly archive: RegistryArchive
  readonly signer: TextSigner
  readonly readBlob: (hash: string) => Promise<ArrayBuffer | undefined>
  readonly encodeBase64: (bytes: Uint8Array) => string
  readonly yieldControl: YieldControl
  readonly now: () => Date
  readonly version: string
}

const PROGRESS_LINES = 500
/** Characters of an exported part. Fewer parts mean fewer transactions on restore. */
const PART_CHARACTERS = 1_000_000
/** Characters that an export holds in memory until it is read: a part as text, and as bytes. */
const EXPORT_CHARACTERS = 2 * PART_CHARACTERS
const MAX_REPORTS = 1_000
const MAX_MESSAGE_CHARACTERS = 1_000
const INCOMPLETE = "The file is incomplete: its last line, of the kind 'end', is missing or counts other lines"
/** Cost of reading, checking and storing one line. */
const LINE_UNITS = 200

export function createArchive(deps: ArchiveDeps) {
  const { archive, signer, readBlob, encodeBase64, yieldControl, now, version } = deps

  async function exportArchive(toolkit: string | undefined, addAuditDetails: AddAuditDetails): Promise<Response> {
    addAuditDetails(toolkit === undefined ? {} : { toolkit })
    const header = { switchboard: version, at: now().toISOString(), ...(toolkit === undefined ? {} : { toolkit }) }
    const parts = signedParts(toJsonLine({ kind: 'archive', format: FORMAT, ...header }), toolkit)
    const name = `switchboard${toolkit === undefined ? '' : `-${toolkit}`}-${header.at.slice(0, 10)}.jsonl`
    const headers = { 'content-type': JSON_LINES, 'content-disposition': `attachment; filename="${name}"` }
    return createTextStreamResponse(parts, EXPORT_CHARACTERS, headers)
  }

  async function* signedParts(header: string, toolkit: string | undefined): AsyncGenerator<string, undefined> {
    const partSigner = createPartSigner(signer)
    let lines = 0
    const signPart = async (text: string, count: number) => {
      lines += count + 1
      return `${text}${toJsonLine({ kind: 'part', hmac: await partSigner.sign('part', lines, text) })}`
    }
    yield await signPart(header, 1)
    let cursor: ArchiveCursor | undefined
    let text = ''
    let count = 0
    do {
      const rows = await archive.read(cursor, toolkit)
      text += rows.text
      count += rows.lines
      const isPartFull = text.length > PART_CHARACTERS || rows.blob !== undefined || !rows.next
      if (isPartFull && text !== '') {
        yield await signPart(text, count)
        text = ''
        count = 0
      }
      const bytes = rows.blob === undefined ? undefined : await readBlob(rows.blob)
      for (const line of bytes ? blobLines(rows.blob ?? '', new Uint8Array(bytes), encodeBase64) : [])
        yield await signPart(line, 1)
      cursor = rows.next
      await yieldControl()
    } while (cursor)
    yield toJsonLine({ kind: 'end', lines, hmac: await partSigner.sign('end', lines + 1, '') })
    return undefined
  }

  async function restoreArchive(
    c: RouteContext,
    principal: Principal,
    isTrusted: boolean,
  ): Promise<Response | FailureResult> {
    const type = c.req.raw.headers.get('content-type')
    if (!isJsonLines(type)) return fail({ type: 'media-type-unsupported', contentType: type, acceptedType: JSON_LINES })
    const parts = readParts(c.req.raw.body, isTrusted ? undefined : signer)
    const { value: firstPart } = await parts.next()
    const header = parseArchiveHeader(firstPart?.lines[0])
    if (!firstPart || !header.ok || firstPart.unsigned !== undefined) {
      await parts.return(undefined)
      await drainBody(c.req.raw)
      const problems = header.ok ? [{ path: '', message: firstPart?.unsigned ?? '' }] : header.problems
      return fail({ type: 'definition-invalid', what: 'backup', problems })
    }
    const body = new ReadableStream<Uint8Array>({
      // The response is short and does not wait for its reader, so clients may send the whole file before they read
      start: (controller) =>
        void restoreParts(c, principal, { ...firstPart, lines: firstPart.lines.slice(1) }, parts, controller),
      async cancel() {
        await parts.return(undefined)
      },
    })
    return new Response(body, { headers: { 'content-type': JSON_LINES } })
  }

  async function restoreParts(
    c: RouteContext,
    principal: Principal,
    firstPart: FilePart,
    furtherParts: AsyncGenerator<FilePart, undefined>,
    controller: ReadableStreamDefaultController<Uint8Array>,
  ): Promise<void> {
    const encoder = new TextEncoder()
    const write = (line: object) => controller.enqueue(encoder.encode(toJsonLine(line)))
    let reportCount = 0
    const restore = createRestore(principal, deps, (report) => {
      reportCount += 1
      if (reportCount <= MAX_REPORTS) write({ ...report, message: report.message.slice(0, MAX_MESSAGE_CHARACTERS) })
    })
    let spentUnits = 0
    const mayGiveWay = createYielder(() => spentUnits, yieldControl)
    let outcome: 'success' | 'internal' = 'internal'
    let isComplete = false
    const restorePart = async ({ lines, unsigned }: FilePart) => {
      // Lines that are neither signed nor trusted are not processed
      for (const line of unsigned === undefined ? lines : [{ line: lines[0]?.line ?? 0, problem: unsigned }]) {
        await restore.take(line)
        spentUnits += LINE_UNITS
        if (line.line % PROGRESS_LINES === 0) write({ progress: { line: line.line, ...restore.counts() } })
        await mayGiveWay()
      }
      await restore.flush()
    }
    try {
      await restorePart(firstPart)
      for await (const part of furtherParts) await restorePart(part)
      await drainBody(c.req.raw)
      isComplete = restore.isWhole()
      write({ done: true, ...restore.counts(), complete: isComplete, message: isComplete ? undefined : INCOMPLETE })
      controller.close()
      outcome = 'success'
    } catch (error) {
      // The sender or storage went away: the lines before that are stored, and sending the file again continues from there
      console.error('A restore ended early', error)
      controller.error(error)
    }
    writeAudit(c, deps.writeAuditEntry, now().getTime(), {
      act: 'registry.imported',
      principal,
      outcome,
      status: 200,
      about: { ...restore.counts(), complete: isComplete },
    })
  }

  return { exportArchive, restoreArchive }
}
