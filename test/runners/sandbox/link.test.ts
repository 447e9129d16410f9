import { expect, it } from 'vitest'
import { type Isolate, type RunIsolate, findLinkProblem } from '../../../src/runners/sandbox/sandbox.ts'

const LIMITS = { compatibilityDate: '2026-10-15', limits: { cpuMs: 10_000, subRequests: 50 } }

/** Isolates that end so. */
function isolatesThat(end: () => Promise<unknown>) {
  const begun: Isolate[] = []
  const run: RunIsolate = (isolate) => {
    begun.push(isolate)
    return end()
  }
  return { begun, run }
}
const failing = (message: string) => isolatesThat(() => Promise.reject(new Error(message))).run

it('a module is loaded after one that throws, without a network', async () => {
  const { begun, run } = isolatesThat(async () => undefined)
  expect(await findLinkProblem(run, 'export default 1')).toBeUndefined()
  expect(begun).toMatchObject([{ isKept: false, egress: null }])
  const code = await begun[0]?.load()
  expect(code).toMatchObject({ ...LIMITS, env: {} })
  expect(code?.modules['tool.js']).toEqual({ js: 'export default 1' })
})

it.each([
  ['Failed to start Worker:\nUncaught SyntaxError: No\n  at tool.js:3:12', 'SyntaxError: No (line 3, column 12)'],
  ['Failed to start Worker:\nUncaught SyntaxError: No\n  at main.js:3:12', 'SyntaxError: No'],
  ['Failed to start Worker:\nUncaught Error: No such module "a".\n  imported from "tool.js"', 'No such module "a".'],
  [`Uncaught SyntaxError: ${'x'.repeat(400)}`, `SyntaxError: ${'x'.repeat(287)}`],
  ['Failed to start Worker:\nUncaught Error: Linked\n  at stop.js:1:7', undefined],
  ['Uncaught Error: Linked, and No such module', undefined],
  ['The loader is not there right now', undefined],
])('%j is reported as %j', async (message, reason) => {
  expect(await findLinkProblem(failing(message), '')).toBe(reason)
})
