import { SwitchboardError } from '../../client/index.ts'
import { isObject, type JsonRecord, tryParseJson } from '../../client/json.ts'
import type { CliSession } from '../context.ts'

/** Loads a document and its `If-Match` header, so that a change fails if somebody else made one in the meantime. */
export function loadRevision({ connection }: CliSession, path: string) {
  return connection.send<{ readonly document: JsonRecord; readonly headers: Readonly<Record<string, string>> }>({
    path,
    async read(response) {
      const document = tryParseJson(await response.text())
      if (!isObject(document)) throw new SwitchboardError('answer_invalid', 'The server is not a Switchboard')
      const revision = response.headers.get('etag')
      return { document, headers: revision === null ? {} : { 'if-match': revision } }
    },
  })
}

/** Like `loadRevision`, but returns an empty document if there is none. */
export async function findRevision(session: CliSession, path: string): ReturnType<typeof loadRevision> {
  return loadRevision(session, path).catch((error: unknown) => {
    if (error instanceof SwitchboardError && error.code === 'not_found') return { document: {}, headers: {} }
    throw error
  })
}

/** Changes some fields of a document, or creates the document with them. */
export async function putChange(session: CliSession, path: string, fields: JsonRecord): Promise<JsonRecord> {
  const { document, headers } = await findRevision(session, path)
  return session.connection.sendJson({ method: 'PUT', path, json: { ...document, ...fields }, headers })
}
