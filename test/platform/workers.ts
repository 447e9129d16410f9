/** The bases that Workers import from `cloudflare:workers`, in this process. */
export { DurableObject } from '../simulation/durable-object.ts'

/** No sandbox runs in this process, so nothing ever leaves one. */
export class WorkerEntrypoint {}
export const exports = {}

export const tracing = {
  enterSpan: <T>(_name: string, work: (span: { setAttributes(attributes: object): void }) => T): T =>
    work({ setAttributes: () => undefined }),
}
