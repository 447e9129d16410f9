import { expect, it } from 'vitest'
import { whyUnlinked } from '../../../src/runners/sandbox/sandbox.ts'

const LIMITS = { compatibilityDate: '2026-10-15', limits: { cpuMs: 10_000, subRequests: 50 } }

/** A loader whose Workers end so. */
function loaderThat(fetch: () => Promise<Response>) {
  const loaded: WorkerLoaderWorkerCode[] = []
  const loader = {
    load(code: WorkerLoaderWorkerCode) {
      loaded.push(code)
      return { getEntrypoint: () => ({ fetch }) } as unknown as WorkerStub
    },
  }
  return { loaded, loader }
}
const failing = (message: string) => loaderThat(() => Promise.reject(new Error(message))).loader

it('a module is loaded behind one that throws, without a network', async () => {
  const { loaded, loader } = loaderThat(async () => new Response())
  expect(await whyUnlinked(loader, 'export default 1')).toBeUndefined()
  expect(loaded).toMatchObject([{ ...LIMITS, globalOutbound: null, env: {} }])
  expect(loaded[0]?.modules['tool.js']).toEqual({ js: 'export default 1' })
})

it.each([
  ['Failed to start Worker:\nUncaught SyntaxError: No\n  at tool.js:3:12', 'SyntaxError: No (line 3, column 12)'],
  ['Failed to start Worker:\nUncaught SyntaxError: No\n  at main.js:3:12', 'SyntaxError: No'],
  ['Failed to start Worker:\nUncaught Error: No such module "a".\n  imported from "tool.js"', 'No such module "a".'],
  [`Uncaught SyntaxError: ${'x'.repeat(400)}`, `SyntaxError: ${'x'.repeat(287)}`],
  ['Failed to start Worker:\nUncaught Error: Linked\n  at stop.js:1:7', undefined],
  ['Uncaught Error: Linked, and No such module', undefined],
  ['The loader is not there right now', undefined],
])('%j is told as %j', async (message, reason) => {
  expect(await whyUnlinked(failing(message), '')).toBe(reason)
})
